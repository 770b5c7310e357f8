"""Telling apart what JSON was read into, which no type says beforehand."""

from typing import TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """Whether the value is a JSON object; its keys are texts, because JSON knows no others."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[object]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)
