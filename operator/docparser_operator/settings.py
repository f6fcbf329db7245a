"""The operator's own settings, from its environment."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

PREFIX = "DOCPARSER_OPERATOR_"


def _split(value: Any) -> Any:
    """Return comma-separated text as a list."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


class Settings(BaseModel):
    """Settings; each is the environment variable DOCPARSER_OPERATOR_<NAME>."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    namespace: str = "docparser-system"
    """Namespace of the Lease: the pod's own."""
    watch_namespaces: Annotated[tuple[str, ...], BeforeValidator(_split)] = ()
    """Namespaces to serve, separated by commas; empty for all."""
    lease: str = "docparser-operator"
    """Name of the Lease."""
    port: int = Field(8081, ge=1, le=65_535)
    """Port of /metrics, /healthz and /readyz."""
    workers: int = Field(64, ge=1, le=1024)
    """Objects that are worked on at the same time."""
    resync_seconds: float = Field(600.0, ge=1)
    """Pause between two full comparisons with the cluster."""
    prometheus_address: str | None = Field(None, pattern=r"^https?://[^\s?#]+$")
    """Address of the Prometheus server that answers the queries of an analysis which names none."""
    prometheus_token_file: Path | None = None
    """File with the bearer token for that server; it is sent to no other."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe log level that is written."""


class SettingsError(ValueError):
    """A variable is unknown or has a value that does not fit."""


def load(environ: Mapping[str, str]) -> Settings:
    """Return the settings in `environ`.

    Raises:
        SettingsError: naming the variables that are wrong.
    """
    given = {
        key.removeprefix(PREFIX).lower(): value
        for key, value in environ.items()
        if key.startswith(PREFIX)
    }
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        found = [f"{PREFIX}{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()]
        raise SettingsError("; ".join(found)) from None


def identity() -> str:
    """Return a name for this process that no other process ever had."""
    return f"{os.environ.get('HOSTNAME') or socket.gethostname()}_{uuid4().hex[:8]}"
