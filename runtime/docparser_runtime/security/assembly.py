"""Makes the doors of the service from its environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from docparser_api.names import (
    ENV_TLS_CERT_FILE,
    ENV_TLS_CLIENT_CA_FILE,
    ENV_TLS_KEY_FILE,
    ENV_TOKENS_FILE,
)
from docparser_api.runtime import SecurityConfig

from docparser_runtime import config as environment
from docparser_runtime.config import ConfigError
from docparser_runtime.logs import Log
from docparser_runtime.security.access import Security
from docparser_runtime.security.audit import Audit
from docparser_runtime.security.files import ReloadError, WatchedFiles
from docparser_runtime.security.tls import Tls, TlsFiles
from docparser_runtime.security.tokens import Tokens


@dataclass(frozen=True)
class Doors:
    """What stands between the network and the application.

    Attributes:
        tls: None where HTTP is not encrypted.
        watched: files that are to be watched while the service runs.
    """

    security: Security
    tls: Tls | None
    watched: tuple[WatchedFiles, ...]


@dataclass(frozen=True)
class DoorLogs:
    """Where doors write: what happens to files, and who did what."""

    log: Log
    audit: Log


def doors(environ: Mapping[str, str], config: SecurityConfig, logs: DoorLogs) -> Doors:
    """Return the doors that `environ` and `config` describe.

    Raises:
        ConfigError: a file is missing or malformed, or belongs to another that is not named.
    """
    tokens_file = _path(environ, ENV_TOKENS_FILE)
    files = _tls_files(environ)
    try:
        tokens = Tokens(environment.token(environ), tokens_file)
    except (OSError, ReloadError) as error:
        raise ConfigError(f"{ENV_TOKENS_FILE}: {_reason(error)}") from None
    try:
        tls = None if files is None else Tls(files)
    except (OSError, ReloadError) as error:
        raise ConfigError(f"{ENV_TLS_CERT_FILE}: {_reason(error)}") from None
    watched = []
    if tokens_file is not None:
        watched += [WatchedFiles("tokens", (tokens_file,), tokens.reload, logs.log)]
    if tls is not None:
        watched += [WatchedFiles("tls", tls.files.paths, tls.reload, logs.log)]
    wants_certificate = files is not None and files.client_authorities is not None
    security = Security(config, tokens, Audit(logs.audit), wants_certificate)
    return Doors(security, tls, tuple(watched))


def _tls_files(environ: Mapping[str, str]) -> TlsFiles | None:
    certificate, key, authorities = (
        _path(environ, name)
        for name in (ENV_TLS_CERT_FILE, ENV_TLS_KEY_FILE, ENV_TLS_CLIENT_CA_FILE)
    )
    if certificate is not None and key is not None:
        return TlsFiles(certificate, key, authorities)
    if certificate is None and key is None and authorities is None:
        return None
    raise ConfigError(
        f"{ENV_TLS_CERT_FILE} and {ENV_TLS_KEY_FILE} belong together; "
        f"{ENV_TLS_CLIENT_CA_FILE} needs both"
    )


def _path(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name)
    if value is None:
        return None
    if not Path(value).is_absolute():
        raise ConfigError(f"{name} must hold an absolute path")
    return Path(value)


def _reason(error: Exception) -> str:
    return f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else str(error)
