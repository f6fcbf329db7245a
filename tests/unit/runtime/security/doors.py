"""Doors of services under test."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from docparser_api.runtime import SecurityConfig
from docparser_runtime import logs
from docparser_runtime.security.access import Security
from docparser_runtime.security.assembly import Doors
from docparser_runtime.security.audit import Audit
from docparser_runtime.security.tokens import Tokens
from unit.runtime.doubles import PARSE, Service, a_document

KEYS = {name: f"token-of-{name}-{'x' * 16}" for name in ("one", "two", "admin")}
"""A token for each tenant."""


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


@dataclass
class Guarded:
    """A service behind doors."""

    service: Service
    app: Any
    security: Security
    clock: Clock
    clients: list[httpx.AsyncClient]

    def client(
        self, token: str | None = None, *, address: str = "192.0.2.1", **headers: str
    ) -> httpx.AsyncClient:
        """Return a client at `address` that sends `token` and `headers`."""
        transport = httpx.ASGITransport(self.app, client=(address, 4711))
        own = {name.replace("_", "-"): value for name, value in headers.items()}
        own |= {} if token is None else {"authorization": f"Bearer {token}"}
        client = httpx.AsyncClient(transport=transport, base_url="http://test", headers=own)
        self.clients.append(client)
        return client

    async def parse(self, client: httpx.AsyncClient, pages: int = 1) -> httpx.Response:
        return await client.post(PARSE, files={"file": ("a", a_document(pages))})

    def audited(self) -> list[dict[str, Any]]:
        return [
            {key: line[key] for key in line if key not in {"timestamp", "level", "request_id"}}
            for line in self.service.log_lines("audit")
        ]


def entry(name: str, **values: Any) -> dict[str, Any]:
    """Return the entry of tenant `name` in a file of tokens."""
    return {"tenant": name, "token": KEYS[name], **values}
