"""The key that page tokens are signed with."""

import secrets
from hashlib import sha256
from pathlib import Path

from rensou_shared.errors import ConfigurationError

_FILE = "file:"
_MIN_KEY_CHARS = 16


def read_page_key(setting: str) -> bytes:
    """The key of RENSOU_PAGE_TOKEN_KEY: the text itself, or that of the file which "file:PATH" names; random for ''.

    Raises:
        ConfigurationError: The file cannot be read, or the text is shorter than 16 visible ASCII characters.
    """
    if setting == "":
        return secrets.token_bytes(32)
    text = _read_file(Path(setting.removeprefix(_FILE))) if setting.startswith(_FILE) else setting
    if len(text) < _MIN_KEY_CHARS or not all("!" <= c <= "~" for c in text):
        raise ConfigurationError(f"RENSOU_PAGE_TOKEN_KEY must be at least {_MIN_KEY_CHARS} visible ASCII characters")
    return sha256(text.encode()).digest()


def _read_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"RENSOU_PAGE_TOKEN_KEY {_FILE}{path}: {error}") from error
