"""Where tasks are kept, as the environment says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from docparser_api.names import (
    ENV_CALLBACK_SECRET,
    ENV_DATA,
    ENV_DATABASE_URL,
    ENV_SPLIT_FILE,
    ENV_STORE_URL,
    ENV_TRACK,
)

from docparser_runtime.callbacks.signing import secrets_of
from docparser_runtime.config import ConfigError

NOWHERE: Final = "none"
DEFAULT_TRACK: Final = "stable"


@dataclass(frozen=True)
class Keeping:
    """Where tasks are kept.

    Attributes:
        database_url: address of the queue's database, with its password.
        store_url: address of the store of uploads and results.
        track: of which track this process takes jobs, and gives them where nothing splits them.
        callback_secrets: with which callbacks are signed, the newest first; none for no callbacks.
        split_file: what splits new jobs among tracks; None for one track.
    """

    database_url: str = field(repr=False)
    store_url: str
    track: str
    callback_secrets: tuple[bytes, ...] = field(default=(), repr=False)
    split_file: Path | None = None


def keeping(environ: Mapping[str, str]) -> Keeping | None:
    """Return where tasks are kept; None when nowhere.

    Raises:
        ConfigError: only one of database and store is named, the directory cannot be made, or the
            file that splits jobs is not named by its whole path.
    """
    track = environ.get(ENV_TRACK, DEFAULT_TRACK)
    secrets = _secrets(environ)
    database, store = environ.get(ENV_DATABASE_URL), environ.get(ENV_STORE_URL)
    if database and store:
        return Keeping(database, store, track, secrets, _split_file(environ))
    if database or store:
        raise ConfigError(
            f"set both {ENV_DATABASE_URL} and {ENV_STORE_URL}, or neither: tasks need the queue "
            "and the store of their documents"
        )
    directory = environ.get(ENV_DATA) or str(_default_directory(environ))
    if directory == NOWHERE:
        return None
    path = _made(Path(directory).absolute())
    objects = (path / "objects").as_uri()
    return Keeping(f"sqlite:///{path}/queue.db", objects, track, secrets)


def _split_file(environ: Mapping[str, str]) -> Path | None:
    named = environ.get(ENV_SPLIT_FILE)
    if named is None:
        return None
    if not Path(named).is_absolute():
        raise ConfigError(f"{ENV_SPLIT_FILE} must hold an absolute path")
    return Path(named)


def _secrets(environ: Mapping[str, str]) -> tuple[bytes, ...]:
    text = environ.get(ENV_CALLBACK_SECRET)
    return () if text is None else secrets_of(text)


def _default_directory(environ: Mapping[str, str]) -> Path:
    data = environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "docparser"


def _made(directory: Path) -> Path:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{directory}, where tasks are to be kept, cannot be made: {error.strerror}; "
            f"name another directory in {ENV_DATA}, or {NOWHERE}"
        ) from None
    return directory
