"""What the reconciler does next with an agent and the approximate index."""

from dataclasses import replace

import pytest

from rensou_nodeworker.stages.ann_step import AnnStep, next_step
from rensou_nodeworker.types.ann import AnnState, Standing

ABOVE = 100
OUT = Standing(101, 1.0, None, any_unflagged=True, any_flagged=False, seen_by_all=False)
FLAGGING = replace(OUT, state=AnnState.FLAGGING)
ALL_IN = replace(FLAGGING, any_unflagged=False, any_flagged=True, seen_by_all=True)
READY = replace(ALL_IN, state=AnnState.READY)
LEAVING = replace(ALL_IN, state=AnnState.LEAVING)


@pytest.mark.parametrize(
    ("standing", "step"),
    [
        (OUT, AnnStep.ENTER),
        (replace(OUT, records=100), AnnStep.NONE),
        (FLAGGING, AnnStep.FLAG),
        (replace(ALL_IN, seen_by_all=False), AnnStep.WAIT),
        (ALL_IN, AnnStep.BE_READY),
        (READY, AnnStep.NONE),
        (replace(READY, records=50), AnnStep.NONE),
        (replace(READY, records=49), AnnStep.LEAVE),
        (replace(FLAGGING, records=49), AnnStep.LEAVE),
        (replace(READY, share=0.25), AnnStep.NONE),
        (replace(READY, share=0.24), AnnStep.LEAVE),
        (replace(READY, any_unflagged=True), AnnStep.FLAG_AGAIN),
        (LEAVING, AnnStep.UNFLAG),
        (replace(LEAVING, records=1_000), AnnStep.UNFLAG),
        (replace(LEAVING, any_flagged=False, seen_by_all=False), AnnStep.WAIT),
        (replace(LEAVING, any_flagged=False), AnnStep.BE_GONE),
    ],
)
def test_the_next_step_follows_from_the_standing(standing: Standing, step: AnnStep) -> None:
    assert next_step(standing, ABOVE) is step
