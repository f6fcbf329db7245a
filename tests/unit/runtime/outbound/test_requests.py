"""What is sent to where it may be sent, and what is made of the answer."""

import asyncio
import socket
import ssl
from pathlib import Path

import pytest
from docparser_runtime.errors import DocumentTooLarge
from docparser_runtime.outbound.errors import UrlUnreachable
from docparser_runtime.outbound.policy import policy_of
from docparser_runtime.outbound.requests import Outbound
from docparser_runtime.outbound.targets import SystemResolver
from support.certificates import Certificates
from support.web_receiver import Receiver, answered
from unit.runtime.outbound.conftest import Names, loopback, trusting_nobody


def url(receiver: Receiver, rest: str = "/doc%20ument.pdf?a=b%2Fc#part") -> str:
    return f"http://Receiver.test:{receiver.port}{rest}"


async def test_a_document_is_fetched(outbound: Outbound, receiver: Receiver) -> None:
    receiver.answer = lambda _: answered(200, body=b"content")
    assert await outbound.fetch(url(receiver), 7, 2) == b"content"
    (request,) = receiver.requests
    assert (request.method, request.path) == ("GET", "/doc%20ument.pdf?a=b%2Fc")
    assert request.headers["host"] == f"receiver.test:{receiver.port}"
    assert request.headers["accept-encoding"] == "identity"
    assert not {"authorization", "cookie", "referer"} & set(request.headers)


async def test_a_body_is_posted(outbound: Outbound, receiver: Receiver) -> None:
    receiver.answer = lambda _: answered(503)
    headers = {"Content-Type": "application/json", "X-Any": "value"}
    assert await outbound.post(url(receiver), b'{"a": 1}', headers, 2) == 503
    (request,) = receiver.requests
    assert (request.method, request.body) == ("POST", b'{"a": 1}')
    assert request.headers["content-type"] == "application/json"
    assert request.headers["x-any"] == "value"


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        answered(200, body=b"x" * 101),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx",
        CHUNKED + b"40\r\n" + b"x" * 64 + b"\r\n40\r\n" + b"x" * 64 + b"\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 101,
    ],
)
async def test_no_more_is_read_than_allowed(
    outbound: Outbound, receiver: Receiver, answer: bytes
) -> None:
    receiver.answer = lambda _: answer
    with pytest.raises(DocumentTooLarge, match="100 bytes"):
        await outbound.fetch(url(receiver), 100, 2)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (answered(404), "status 404"),
        (answered(204), "status 204"),
        (answered(500, body=b"secret of the inside"), "status 500"),
        (answered(200, "Content-Encoding: gzip", body=b"\x1f\x8b"), "packed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "RemoteProtocolError"),
        (b"SSH-2.0-secret of the inside\r\n", "RemoteProtocolError"),
        (b"", "RemoteProtocolError"),
    ],
)
async def test_other_answers(
    outbound: Outbound, receiver: Receiver, answer: bytes, said: str
) -> None:
    receiver.answer = lambda _: answer
    with pytest.raises(UrlUnreachable, match=said) as failure:
        await outbound.fetch(url(receiver), 1000, 2)
    assert "secret" not in failure.value.detail


async def test_a_silent_server_costs_no_more_than_the_time(
    outbound: Outbound, receiver: Receiver
) -> None:
    receiver.answer = lambda _: None
    began = asyncio.get_running_loop().time()
    with pytest.raises(UrlUnreachable, match="in time"):
        await outbound.fetch(url(receiver), 1000, 0.2)
    with pytest.raises(UrlUnreachable, match="in time"):
        await outbound.post(url(receiver), b"", {}, 0.2)
    assert asyncio.get_running_loop().time() - began < 2


async def test_a_slow_resolver_costs_no_more_than_the_time(receiver: Receiver) -> None:
    async def never(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    sender = Outbound(loopback(receiver), never, trusting_nobody())
    with pytest.raises(UrlUnreachable, match="in time"):
        await sender.fetch(url(receiver), 1000, 0.1)


async def test_the_next_address_is_tried_when_one_does_not_answer(receiver: Receiver) -> None:
    names = Names({"receiver.test": [["127.0.0.9", "127.0.0.1"]]})
    policy = policy_of([], ["127.0.0.0/8"], [receiver.port])
    sender = Outbound(policy, names, trusting_nobody())
    assert await sender.post(url(receiver), b"x", {}, 2) == 200
    assert receiver.connections == 1


async def test_nobody_listens(outbound: Outbound, names: Names) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    sender = Outbound(policy_of([], ["127.0.0.0/8"], [port]), names, trusting_nobody())
    with pytest.raises(UrlUnreachable, match="ConnectError"):
        await sender.fetch(f"http://receiver.test:{port}/", 1000, 2)


async def test_a_certificate_is_checked_for_the_name(tmp_path: Path) -> None:
    made = Certificates.make(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(made.pki.certificate("server"), made.pki.key("server"))
    names = Names({"localhost": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]})
    async with Receiver().running(server) as receiver:
        policy = policy_of([], ["127.0.0.0/8"], [receiver.port])
        trusting = Outbound(policy, names, made.client())
        for host in ("localhost", "127.0.0.1"):
            assert await trusting.fetch(f"https://{host}:{receiver.port}/", 1000, 5) == b"ok"
        with pytest.raises(UrlUnreachable):
            await trusting.fetch(f"https://other.test:{receiver.port}/", 1000, 5)
        stranger = Outbound(policy, names, trusting_nobody())
        with pytest.raises(UrlUnreachable):
            await stranger.fetch(f"https://localhost:{receiver.port}/", 1000, 5)
        assert receiver.names == ["localhost", None, "other.test", "localhost"]
        assert len(receiver.requests) == 2


async def test_the_system_knows_localhost() -> None:
    resolver = SystemResolver()
    try:
        assert set(await resolver("localhost", 80)) <= {"127.0.0.1", "::1"}
        with pytest.raises(OSError, match=r".+"):
            await resolver("name.invalid", 80)
    finally:
        resolver.close()
