"""The embedding models of the deployment, for operators."""

from dataclasses import dataclass

from rensou_recall.pipelines.deps import Deps
from rensou_recall.store.models import activate_model, list_models
from rensou_recall.types.call import Call
from rensou_recall.types.embedding import Activation, ListedModel, ServerReport
from rensou_shared.errors import EmbeddingModelNotFound, EmbeddingModelNotReady
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelsAnswer:
    """Every model, oldest first, the live records of all agents, and the embedding servers, the main one first."""

    models: tuple[ListedModel, ...]
    records: int
    servers: tuple[ServerReport, ...]


async def list_embedding_models(deps: Deps, call: Call) -> ModelsAnswer:
    """How each model stands.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    servers = await deps.embedder.server_reports(call.remaining_s() / 2)
    async with deps.database.transaction(None, call.remaining_s()) as connection:
        models, records = await list_models(connection)
    return ModelsAnswer(tuple(models), records, servers)


async def activate_embedding_model(deps: Deps, call: Call, fingerprint: str, *, allow_incomplete: bool) -> Activation:
    """Makes the model the one that questions are compared under.

    Raises:
        EmbeddingModelNotFound: The deployment has met no such model.
        EmbeddingModelNotReady: Records lack vectors under it and may not, or no server serves it.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    served = await deps.embedder.is_served(fingerprint, call.remaining_s() / 2)
    # What is raised here takes the activation back.
    async with deps.database.transaction(None, call.remaining_s()) as connection:
        done = await activate_model(connection, fingerprint, allow_incomplete=allow_incomplete)
        if done is None:
            raise EmbeddingModelNotFound(fingerprint)
        # A model that nothing serves would leave every question without a vector.
        if not done.is_active or (done.activated and not served):
            raise EmbeddingModelNotReady(done.lacking, served=served)
    if done.activated:
        deps.embedder.forget_model()
        _log.info("embedding_model_activated", former=done.former, active=fingerprint, lacking=done.lacking)
    return done
