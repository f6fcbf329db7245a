"""Doors of services under test."""

import io
import json
from pathlib import Path
from typing import Any

from docparser_api.runtime import SecurityConfig
from docparser_runtime import logs
from docparser_runtime.security.access import Security
from docparser_runtime.security.assembly import Doors
from docparser_runtime.security.audit import Audit
from docparser_runtime.security.tokens import Tokens


def security(
    stream: io.StringIO,
    config: SecurityConfig,
    *,
    token: str | None = None,
    file: Path | None = None,
    **others: Any,
) -> Security:
    """Return what holds requests to `config` and tokens, and writes its audit log to `stream`."""
    audit = Audit(logs.create(stream, "info"))
    return Security(config, Tokens(token, file), audit, **others)


def open_doors() -> Doors:
    """Return doors that let everyone in."""
    return Doors(security(io.StringIO(), SecurityConfig()), None, ())


def tokens_file(folder: Path, *tokens: dict[str, Any]) -> Path:
    """Return a file that holds `tokens`."""
    path = folder / "tokens.json"
    path.write_text(json.dumps({"tokens": tokens}))
    return path


class Clock:
    """Nanoseconds that pass when told to."""

    def __init__(self) -> None:
        self.now_ns = 1

    def __call__(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1_000_000_000)
