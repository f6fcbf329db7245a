"""Documents from the web."""

from collections.abc import Callable

import httpx
import pytest
from docparser_runtime.batch.downloads import DownloadError, downloaded, web

URL = "https://example.org/canary.pdf"


async def fetched(answer: Callable[[httpx.Request], httpx.Response], url: str = URL) -> bytes:
    async with web(httpx.MockTransport(answer)) as http:
        return await downloaded(http, url, most_bytes=10)


async def test_a_document_is_fetched_also_where_it_has_moved_to() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/canary.pdf":
            return httpx.Response(302, headers={"location": "/there"})
        return httpx.Response(200, content=b"0123456789")

    assert await fetched(answer) == b"0123456789"


def refuse(_: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("canary")


def hang(_: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("canary")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda _: httpx.Response(404, text="canary"), "answered 404"),
        (lambda _: httpx.Response(200, content=b"0123456789x"), "more than 10 bytes"),
        (lambda _: httpx.Response(302, headers={"location": URL}), "no proper answer"),
        (lambda _: httpx.Response(302, headers={"location": "file:///etc"}), "no proper answer"),
        (refuse, "cannot be reached"),
        (hang, "too slowly"),
    ],
)
async def test_failures_have_a_reason_and_show_no_address(
    answer: Callable[[httpx.Request], httpx.Response], told: str
) -> None:
    with pytest.raises(DownloadError, match=told) as raised:
        await fetched(answer)
    assert "canary" not in str(raised.value)
