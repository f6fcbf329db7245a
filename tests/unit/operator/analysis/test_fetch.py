import asyncio

import pytest
from aiohttp import web
from docparser_operator.analysis.fetch import MOST_BYTES, FetchError, HttpFetch
from unit.operator.analysis.pods import Handler, Servers


async def result(fetch: HttpFetch, address: str, seconds: float = 5.0) -> str:
    """Return how a fetch failed."""
    with pytest.raises(FetchError) as caught:
        await fetch.text(f"http://{address}/x", seconds)
    return caught.value.result


async def test_a_body_is_fetched(servers: Servers, fetch: HttpFetch) -> None:
    address = await servers.pod("grün\n")
    assert await fetch.text(f"http://{address}/a?b=1", 5.0) == "grün\n"
    assert servers.asked == ["/a?b=1"]


async def test_the_token_is_sent_if_there_is_one(servers: Servers, fetch: HttpFetch) -> None:
    seen: list[str | None] = []

    async def note(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization"))
        return web.Response()

    url = f"http://{await servers.start(note)}/"
    await fetch.text(url, 5.0)
    await fetch.text(url, 5.0, "secret")
    assert seen == [None, "Bearer secret"]


async def hang(_request: web.Request) -> web.Response:
    await asyncio.Event().wait()
    return web.Response()


async def stall(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b"begins")
    await asyncio.Event().wait()
    return response


async def fail(_request: web.Request) -> web.Response:
    return web.Response(status=500)


async def redirect(_request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/elsewhere"})


async def huge(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    try:
        while True:
            await response.write(b"#" * 65536)
    except ConnectionError:
        return response


async def break_off(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"begins")
    assert request.transport is not None
    request.transport.close()
    return response


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (hang, "timeout"),
        (stall, "timeout"),
        (fail, "status"),
        (redirect, "status"),
        (huge, "too_large"),
        (break_off, "unreachable"),
    ],
)
async def test_faults(servers: Servers, fetch: HttpFetch, handler: Handler, expected: str) -> None:
    address = await servers.start(handler)
    seconds = 0.2 if expected == "timeout" else 20.0
    assert await result(fetch, address, seconds) == expected
    assert servers.asked == ["/x"]


async def test_a_body_of_the_largest_size_is_taken(servers: Servers, fetch: HttpFetch) -> None:
    address = await servers.pod("#" * MOST_BYTES)
    assert len(await fetch.text(f"http://{address}/", 20.0)) == MOST_BYTES


async def test_nobody_listens(servers: Servers, fetch: HttpFetch) -> None:
    address = await servers.pod("")
    await servers.close()
    assert await result(fetch, address) == "unreachable"


async def test_what_is_no_address_is_unreachable(fetch: HttpFetch) -> None:
    assert await result(fetch, "no port:x") == "unreachable"


async def test_a_packed_body_is_not_unpacked(servers: Servers, fetch: HttpFetch) -> None:
    async def packed(request: web.Request) -> web.Response:
        assert request.headers["Accept-Encoding"] == "identity"
        return web.Response(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"})

    assert len(await fetch.text(f"http://{await servers.start(packed)}/", 5.0)) == 2
