"""Asks a service for the text of documents, patiently but not for ever."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import httpx
from docparser_api.golden import Side
from docparser_api.names import PATH_PARSE

from docparser_runtime.golden.documents import GoldenDocument, GoldenError

CONCURRENCY: Final = 2
"""Documents that are asked for at the same time; the services also have other work."""
LONGEST_ANSWER_BYTES: Final = 8 * 1024 * 1024
_MARKDOWN: Final = "text/markdown"
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_BUSY: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_PAUSES_SECONDS: Final = (1, 2, 4, 8, 16)
"""Pauses before another try, where the service names none. After the last there is no other."""
_UNREACHABLE_PAUSES: Final = 2
"""Pauses while nothing answers: a pod that is gone needs less patience than a busy one."""
_LEAST_PAUSE_SECONDS: Final = 0.1


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        markdown: text of the document; None when it was not read.
        failure: why it was not read: the code of a problem, or `timeout`, `unreachable`,
            `connection_lost`, `invalid_answer`, `answer_too_large`, `http_STATUS`.
        pauses: how many pauses another try is worth.
        pause_seconds: pause that the service asks for.
    """

    markdown: str | None = None
    failure: str | None = None
    pauses: int = 0
    pause_seconds: float | None = None


Answers = Mapping[tuple[str, Side], Answer]
"""Answers by name of document and side."""


async def answers(
    documents: Sequence[GoldenDocument],
    urls: Mapping[Side, str],
    token: str | None,
    timeout_seconds: float,
) -> Answers:
    """Return what both services say of each document.

    Raises:
        GoldenError: an address is none, or a document cannot be read.
    """
    places = asyncio.Semaphore(CONCURRENCY)
    headers = {"Accept": _MARKDOWN} | ({"Authorization": f"Bearer {token}"} if token else {})
    # A connection of its own for each request spreads them over the pods behind a Service.
    limits = httpx.Limits(max_keepalive_connections=0)

    async def ask(document: GoldenDocument, side: Side) -> Answer:
        async with places:
            return await _in_time(client, endpoints[side], document, timeout_seconds)

    endpoints = {side: _endpoint(url) for side, url in urls.items()}
    asked = [(document, side) for document in documents for side in urls]
    # Addresses within the cluster are not for a proxy, whatever the environment says.
    async with httpx.AsyncClient(
        headers=headers, timeout=timeout_seconds, limits=limits, trust_env=False
    ) as client:
        found = await asyncio.gather(*(ask(document, side) for document, side in asked))
    return {
        (document.name, side): answer for (document, side), answer in zip(asked, found, strict=True)
    }


def _endpoint(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.rstrip("/") + PATH_PARSE)
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise GoldenError("invalid_url", f"{url!r} is no address such as http://name:8080")
    return parsed


async def _in_time(
    client: httpx.AsyncClient, url: httpx.URL, document: GoldenDocument, timeout_seconds: float
) -> Answer:
    content = await asyncio.to_thread(document.content)
    request = client.build_request("POST", url, files={"file": (document.file.name, content)})
    answer = Answer(failure="timeout")
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout_seconds
    try:
        async with asyncio.timeout_at(end):
            for number, usual in enumerate((*_PAUSES_SECONDS, 0)):
                answer = await _once(client, request)
                pause = usual if answer.pause_seconds is None else answer.pause_seconds
                pause = max(pause, _LEAST_PAUSE_SECONDS)
                if number >= answer.pauses or loop.time() + pause >= end:
                    break
                await asyncio.sleep(pause)
    except TimeoutError:
        return Answer(failure="timeout")
    return answer


async def _once(client: httpx.AsyncClient, request: httpx.Request) -> Answer:
    body = bytearray()
    try:
        response = await client.send(request, stream=True)
        try:
            async for part in response.aiter_bytes():
                body += part
                if len(body) > LONGEST_ANSWER_BYTES:
                    return Answer(failure="answer_too_large")
        finally:
            await response.aclose()
    except httpx.TimeoutException:
        return Answer(failure="timeout")
    except httpx.ConnectError:
        return Answer(failure="unreachable", pauses=_UNREACHABLE_PAUSES)
    except (httpx.TransportError, httpx.DecodingError):
        # Also the end of a process in the midst of its work: trying again would hide it.
        return Answer(failure="connection_lost")
    return _answer(response, bytes(body))


def _answer(response: httpx.Response, body: bytes) -> Answer:
    if response.status_code != HTTPStatus.OK:
        busy = response.status_code in _BUSY
        return Answer(
            failure=_code(response.status_code, body),
            pauses=len(_PAUSES_SECONDS) if busy else 0,
            pause_seconds=_seconds(response.headers.get("retry-after", "")),
        )
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return Answer(failure="invalid_answer")
    if not response.headers.get("content-type", "").startswith(_MARKDOWN):
        return Answer(failure="invalid_answer")
    return Answer(markdown=text)


def _code(status: int, body: bytes) -> str:
    """Return the problem's code, if the answer is a problem; it is shown, so it must be a name."""
    try:
        code = json.loads(body)["code"]
    except (ValueError, KeyError, TypeError):
        code = None
    return code if isinstance(code, str) and _CODE.fullmatch(code) else f"http_{status}"


def _seconds(retry_after: str) -> float | None:
    """Return the seconds that the header names; the form with a date is not used here."""
    return float(retry_after) if re.fullmatch(r"\d{1,9}", retry_after, re.ASCII) else None
