"""What the embedded stack reads from its environment."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path

_ROOT_DATA_DIR = Path("/var/lib/rensou")
_OWN_NAMES = frozenset({"RENSOU_DATA_DIR"})


class SettingsError(ValueError):
    """The environment asks for something impossible; the message names the variable."""


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """Settings of the `rensou` command."""

    data_dir: Path
    """Where everything is kept: RENSOU_DATA_DIR; else /var/lib/rensou for root; else $XDG_DATA_HOME/rensou, which is
    ~/.local/share/rensou when unset."""
    service_environ: Mapping[str, str]
    """What the services inherit: everything but libpq's own variables, which would turn their connections elsewhere."""


def read_settings(environ: Mapping[str, str], *, is_root: bool) -> EmbeddedSettings:
    """Read the settings from `environ`.

    Raises:
        SettingsError: no data folder follows from it.
    """
    inherited = clean_environ(environ)
    if tokens_file := inherited.get("RENSOU_TOKENS_FILE"):
        # The services run in another folder than the command.
        inherited["RENSOU_TOKENS_FILE"] = str(Path(tokens_file).absolute())
    if (page_key := inherited.get("RENSOU_PAGE_TOKEN_KEY", "")).startswith("file:"):
        inherited["RENSOU_PAGE_TOKEN_KEY"] = f"file:{Path(page_key.removeprefix('file:')).absolute()}"
    return EmbeddedSettings(data_dir=_data_dir(environ, is_root=is_root), service_environ=inherited)


def clean_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Return `environ` without libpq's variables (PGHOST, PGPORT, PGOPTIONS …) and without the command's own."""
    return {name: value for name, value in environ.items() if not name.startswith("PG") and name not in _OWN_NAMES}


def process_environ() -> MutableMapping[str, str]:
    """Return the environment of this process."""
    return os.environ


def read_embedding_token(environ: Mapping[str, str]) -> str | None:
    """Return the bearer token that the embedding server asks for; None when it is open."""
    return environ.get("RENSOU_EMBEDDING_TOKEN") or None


def prepare_model_environment(environ: MutableMapping[str, str]) -> None:
    """Let the model's idle threads sleep: spinning, they take the cores from Postgres, and one embedding takes seconds.

    Has to happen before the model's library is loaded.
    """
    environ.setdefault("OMP_WAIT_POLICY", "passive")


def _data_dir(environ: Mapping[str, str], *, is_root: bool) -> Path:
    if named := environ.get("RENSOU_DATA_DIR"):
        return _absolute("RENSOU_DATA_DIR", named)
    if is_root:
        return _ROOT_DATA_DIR
    if data_home := environ.get("XDG_DATA_HOME"):
        return _absolute("XDG_DATA_HOME", data_home) / "rensou"
    if home := environ.get("HOME"):
        return _absolute("HOME", home) / ".local" / "share" / "rensou"
    raise SettingsError("no data folder: set RENSOU_DATA_DIR or pass --data-dir")


def _absolute(name: str, value: str) -> Path:
    path = Path(value)
    if not path.is_absolute():
        raise SettingsError(f"{name} must be an absolute path, it is {value!r}")
    return path
