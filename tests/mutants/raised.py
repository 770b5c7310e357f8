"""A plugin of pytest: says in the JUnit report what a test's own body raised, and whether that was an assertion.

The report alone does not: a failed `assert` is shown without its type, and of a group that hypothesis raises only the
group is.
"""

from collections.abc import Generator, Iterator
from typing import TypeAlias, cast

import pytest

ASSERTION = "raised-by-assertion"
RAISED = "raised"
Reports: TypeAlias = Generator[None, pytest.TestReport, pytest.TestReport]


def exceptions_of(raised: BaseException) -> Iterator[BaseException]:
    """The exception, or every one of a group, however deep."""
    if isinstance(raised, BaseExceptionGroup):
        for one in cast("BaseExceptionGroup[BaseException]", raised).exceptions:
            yield from exceptions_of(one)
    else:
        yield raised


def is_assertion(raised: BaseException) -> bool:
    """Whether a test failed by what it asserts: `assert`, `pytest.fail`, or `pytest.raises` that saw nothing.

    Of a group every exception must be one. Running out of time is none, although pytest says it the same way.
    """
    return all(
        isinstance(one, AssertionError | pytest.fail.Exception) and not str(one).startswith("Timeout")
        for one in exceptions_of(raised)
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Reports:
    """Notes the exception of the body beside the test, where the report takes it from."""
    if call.when == "call" and call.excinfo is not None:
        names = sorted({type(one).__name__ for one in exceptions_of(call.excinfo.value)})
        item.user_properties += [(RAISED, ", ".join(names)), (ASSERTION, str(is_assertion(call.excinfo.value)))]
    return (yield)
