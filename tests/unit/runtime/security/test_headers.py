"""Headers that keep browsers in check."""

from collections.abc import AsyncIterator

import httpx
import pytest
from docparser_api import names
from docparser_runtime.security.headers import NOTHING, SecurityHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send
from unit.runtime.doubles import PARSE, Service, StartService, a_document

PATHS = (PARSE, names.PATH_CONFIG, names.PATH_METRICS, names.PATH_LIVE, "/", "/docs", "/nope")


@pytest.fixture
async def secured(start: StartService) -> Service:
    return await start(token="s3cr3t")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("token", ["s3cr3t", "wrong"])
async def test_every_answer_has_them(secured: Service, path: str, token: str) -> None:
    answer = await secured.client.get(path, headers={"authorization": f"Bearer {token}"})
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-frame-options"] == "DENY"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "strict-transport-security" not in answer.headers


async def test_documents_are_kept_by_nobody(service: Service) -> None:
    for content in (a_document(), b""):
        answer = await service.client.post(PARSE, files={"file": ("a", content)})
        assert answer.headers["cache-control"] == "no-store"
    assert "cache-control" not in (await service.client.get("/docs")).headers


async def test_an_unexpected_failure_has_them_too(service: Service) -> None:
    service.reader.open = None  # type: ignore[assignment,method-assign]
    answer = await service.client.post(PARSE, files={"file": ("a", a_document())})
    assert (answer.status_code, answer.headers["x-frame-options"]) == (500, "DENY")


@pytest.fixture
async def https() -> AsyncIterator[httpx.AsyncClient]:
    page = HTMLResponse("", headers={"Content-Security-Policy": "default-src 'self';"})
    framed = Response("", headers={"Content-Security-Policy": "frame-ancestors 'self'"})
    app = {"/page": page, "/framed": framed, "/other": Response("")}

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        await app[scope["path"]](scope, receive, send)

    transport = httpx.ASGITransport(SecurityHeaders(route))
    async with httpx.AsyncClient(transport=transport, base_url="https://test") as client:
        yield client


async def test_a_page_keeps_its_own_policy(https: httpx.AsyncClient) -> None:
    policies = [
        (await https.get(path)).headers["content-security-policy"]
        for path in ("/page", "/framed", "/other")
    ]
    assert policies == [
        "default-src 'self'; frame-ancestors 'none'",
        "frame-ancestors 'self'",
        NOTHING,
    ]


async def test_browsers_are_told_to_stay_with_https(https: httpx.AsyncClient) -> None:
    answer = await https.get("/page")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
