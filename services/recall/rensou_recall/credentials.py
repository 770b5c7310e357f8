"""The token file: which credential names which agents."""

import json
from pathlib import Path
from typing import TypeGuard

from rensou_recall.types.call import Principal
from rensou_shared.domain import MAX_SCOPE_NAME_BYTES
from rensou_shared.errors import ConfigurationError
from rensou_shared.json_types import is_array, is_object
from rensou_shared.text.validate import check_text

_KEYS = {"name", "token", "agents", "operator"}
_MIN_TOKEN_CHARS = 16


def read_tokens(path: Path) -> dict[str, Principal]:
    """Principals by token, from {"tokens": [{"name", "token", "agents": ["*" or names], "operator": false}]}.

    Raises:
        ConfigurationError: The file cannot be read, or any entry of it is not exactly of that form.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"RENSOU_TOKENS_FILE {path}: {error}") from error
    if not is_object(document) or set(document) != {"tokens"} or not is_array(document["tokens"]):
        raise ConfigurationError(f'RENSOU_TOKENS_FILE {path}: must be {{"tokens": [...]}}')
    principals: dict[str, Principal] = {}
    for position, entry in enumerate(document["tokens"]):
        token, principal = _read_entry(f"RENSOU_TOKENS_FILE {path}: tokens[{position}]", entry)
        if token in principals:
            raise ConfigurationError(f"RENSOU_TOKENS_FILE {path}: tokens[{position}]: the token stands twice")
        principals[token] = principal
    if not principals:
        raise ConfigurationError(f"RENSOU_TOKENS_FILE {path}: names no token")
    return principals


def _is_agent(agent: object) -> TypeGuard[str]:
    """Whether a request could name the agent."""
    if not isinstance(agent, str):
        return False
    return check_text(agent, max_chars=MAX_SCOPE_NAME_BYTES, max_bytes=MAX_SCOPE_NAME_BYTES) is None


def _read_entry(where: str, entry: object) -> tuple[str, Principal]:
    if not is_object(entry) or not {"name", "token", "agents"} <= set(entry) <= _KEYS:
        raise ConfigurationError(f"{where}: needs name, token and agents, and may have operator")
    name, token, agents, operator = entry["name"], entry["token"], entry["agents"], entry.get("operator", False)
    if not isinstance(name, str) or not name:
        raise ConfigurationError(f"{where}.name: must be a name")
    if not isinstance(token, str) or len(token) < _MIN_TOKEN_CHARS or not all("!" <= c <= "~" for c in token):
        raise ConfigurationError(f"{where}.token: must be at least {_MIN_TOKEN_CHARS} visible ASCII characters")
    named = [agent for agent in agents if _is_agent(agent)] if is_array(agents) else []
    if not is_array(agents) or not agents or len(named) < len(agents):
        raise ConfigurationError(f"{where}.agents: must list agents, each 1-{MAX_SCOPE_NAME_BYTES} bytes of text")
    if not isinstance(operator, bool):
        raise ConfigurationError(f"{where}.operator: must be true or false")
    return token, Principal(name, frozenset(named), operator)
