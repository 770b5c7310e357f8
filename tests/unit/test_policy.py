"""Which method is open to whom."""

from typing import Any

import pytest
from google.protobuf.descriptor_pool import Default

from rensou_recall.interceptors import policy
from rensou_recall.interceptors.authentication import AuthenticationInterceptor, TokenBook
from rensou_recall.interceptors.deadlines import CallClock
from rensou_recall.interceptors.policy import POLICY, Access, requires_operator
from rensou_recall.server import SERVICES
from rensou_recall.types.call import Principal
from rensou_shared.errors import PermissionDenied


def test_the_policy_covers_every_method_of_the_contract_and_no_other() -> None:
    services = [Default().FindServiceByName(name) for name in SERVICES]
    methods = {f"/{service.full_name}/{method.name}" for service in services for method in service.methods}
    assert set(POLICY) == methods


def test_every_service_of_the_contract_is_served() -> None:
    package = Default().FindServiceByName(SERVICES[0]).file.package
    assert package == "rensou.v1"
    assert len(set(SERVICES)) == len(SERVICES) == 5


@pytest.mark.parametrize("method", ["", "/rensou.v1.RecallService/Nothing", "rensou.v1.RecallService/Store", "/x/y"])
def test_a_method_in_no_row_is_open_to_nobody(method: str) -> None:
    with pytest.raises(PermissionDenied):
        requires_operator(method)


def test_only_an_operators_method_asks_for_an_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "POLICY", {"/a/Read": Access.AGENT, "/a/Delete": Access.OPERATOR})
    assert [requires_operator(method) for method in ("/a/Read", "/a/Delete")] == [False, True]


class OneCall:
    """As much of a call's context as the credential is read from."""

    def invocation_metadata(self) -> list[tuple[str, str]]:
        return [("authorization", "Bearer the-token-of-ann-alone")]


@pytest.mark.parametrize(
    ("tokens", "hint"),
    [
        (None, "RENSOU_TOKENS_FILE"),
        (
            TokenBook({"the-token-of-ann-alone": Principal("ann", frozenset({"ann"}), operator=False)}),
            '"operator": true',
        ),
    ],
)
async def test_who_is_no_operator_is_told_what_makes_one(tokens: TokenBook | None, hint: str) -> None:
    interceptor: Any = AuthenticationInterceptor(tokens, CallClock(10.0, 60.0))
    with pytest.raises(PermissionDenied, match=hint):
        await interceptor.around("/rensou.v1.AdminService/ListEmbeddingModels", None, OneCall(), None)
