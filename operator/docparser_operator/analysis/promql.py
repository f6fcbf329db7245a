"""Asks a Prometheus server for one number."""

import asyncio
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import structlog

from docparser_operator.analysis.fetch import Fetch, FetchError
from docparser_operator.kinds import Key

log = structlog.get_logger(__name__)

TIMEOUT_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Server:
    """A Prometheus server.

    Attributes:
        address: where its API begins, without `/api/v1`.
        token_file: file with the bearer token that it wants; None where it wants none.
    """

    address: str
    token_file: Path | None = None


def rendered(query: str, canary: str, stable: str, key: Key) -> str:
    """Return `query` with its placeholders filled in.

    Args:
        query: PromQL with placeholders, as a DocParserDeployment has it.
        canary: hash of the new revision.
        stable: hash of the serving revision.
        key: the DocParserDeployment.
    """
    values = {"canary": canary, "stable": stable, "namespace": key.namespace, "name": key.name}
    for name, value in values.items():
        query = query.replace("{{" + name + "}}", value)
    return query


async def answer(fetch: Fetch, server: Server, query: str) -> float | None:
    """Return the number that `query` has at this moment.

    None where the server has none, or more than one, or cannot be asked; NaN is no number either.
    """
    url = f"{server.address.rstrip('/')}/api/v1/query?{urlencode({'query': query})}"
    try:
        # Kubernetes replaces tokens while we run.
        token = await asyncio.to_thread(_token, server.token_file) if server.token_file else None
        return number(await fetch.text(url, TIMEOUT_SECONDS, token))
    except FetchError as error:
        # An address may hold a password.
        log.warning("Prometheus did not answer", reason=str(error))
    except OSError as error:
        log.warning("the token for Prometheus cannot be read", reason=error.strerror)
    return None


def number(body: str) -> float | None:
    """Return the one number in an answer of the API; None where there is not exactly one."""
    try:
        data: Any = json.loads(body)["data"]
        kind, result = data["resultType"], data["result"]
        if kind == "vector":
            (only,) = result
            pair = only["value"]
        elif kind == "scalar":
            pair = result
        else:
            return None
        _at, text = pair
        value = float(text)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return None if math.isnan(value) else value


def _token(file: Path) -> str:
    return file.read_text().strip()
