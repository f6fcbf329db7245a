"""HTTPS by a real process: rotation of certificates, clients with certificates, leaving."""

import asyncio
import signal
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.names import (
    ENV_TLS_CERT_FILE,
    ENV_TLS_CLIENT_CA_FILE,
    ENV_TLS_KEY_FILE,
    PATH_CONFIG,
    PATH_LIVE,
    PATH_METRICS,
    PATH_READY,
    PATH_STARTUP,
)
from docparser_runtime.security.handshake import Pace
from integration.runtime.processes import Program, environment, run, serving
from support.certificates import Certificates
from support.mounted_secret import MountedSecret
from support.sample_document import sample_pdf
from unit.runtime.doubles import PARSE, eventually

SLOW_HANDSHAKES = 200


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("others"))


def put(secret: MountedSecret, certificates: Certificates, key: str | None = None) -> None:
    """Mount the server's certificate, with its key or what stands instead."""
    files = certificates.files()
    found = files.key.read_text() if key is None else key
    secret.put(tls__crt=files.certificate.read_text(), tls__key=found)


@pytest.fixture
def secret(tmp_path: Path, certificates: Certificates) -> MountedSecret:
    mounted = MountedSecret(tmp_path / "secret")
    put(mounted, certificates)
    return mounted


def secured(secret: MountedSecret, **limits: Any) -> dict[str, str]:
    return environment(lameDuckSeconds=0, **limits) | {
        ENV_TLS_CERT_FILE: str(secret.folder / "tls.crt"),
        ENV_TLS_KEY_FILE: str(secret.folder / "tls.key"),
    }


@asynccontextmanager
async def client_of(program: Program, tls: ssl.SSLContext) -> AsyncIterator[httpx.AsyncClient]:
    port = program.events("listening")[0]["port"]
    url = f"https://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=url, verify=tls, timeout=30) as client:
        yield client


def parsed(page: bytes) -> dict[str, Any]:
    return {"files": {"file": ("a.pdf", page)}}


async def test_documents_are_read_over_https(
    secret: MountedSecret, certificates: Certificates
) -> None:
    async with (
        serving(secured(secret)) as program,
        client_of(program, certificates.client()) as client,
    ):
        answer = await client.post(PARSE, **parsed(sample_pdf()))
        assert (answer.status_code, len(answer.json()["pages"])) == (200, 3)
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert program.events("listening")[0]["tls"] is True
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0


async def test_a_certificate_is_rotated_under_open_connections(
    secret: MountedSecret, certificates: Certificates, others: Certificates
) -> None:
    async with serving(secured(secret)) as program, AsyncExitStack() as stack:
        before = await stack.enter_async_context(client_of(program, certificates.client()))
        await before.get(PATH_LIVE)

        async def serves(wanted: Certificates) -> bool:
            try:
                async with client_of(program, wanted.client()) as client:
                    return (await client.get(PATH_LIVE)).status_code == 200
            except httpx.ConnectError:
                return False

        assert await serves(certificates)
        put(secret, others, key="no key")
        await eventually(lambda: bool(program.events("tls_not_reloaded")))
        assert await serves(certificates)
        put(secret, others)
        await eventually(lambda: bool(program.events("tls_reloaded")))
        assert await serves(others)
        assert not await serves(certificates)
        answer = await before.post(PARSE, **parsed(sample_pdf()))  # on the connection of old
        assert answer.status_code == 200
    assert len(program.events("tls_not_reloaded")) == 1
    assert "no key" not in str(program.log)


async def test_only_clients_with_a_certificate_get_further_than_the_probes(
    secret: MountedSecret, certificates: Certificates, others: Certificates
) -> None:
    environ = secured(secret) | {ENV_TLS_CLIENT_CA_FILE: str(certificates.pki.authority)}
    async with serving(environ) as program:
        async with client_of(program, certificates.client()) as stranger:
            for path in (PATH_LIVE, PATH_READY, PATH_STARTUP, PATH_METRICS):
                assert (await stranger.get(path)).status_code == 200
            refusal = await stranger.get(PATH_CONFIG)
            assert (refusal.status_code, refusal.json()["code"]) == (403, "forbidden")
        async with client_of(program, certificates.client(shows=certificates)) as known:
            assert (await known.post(PARSE, **parsed(sample_pdf()))).status_code == 200
        async with client_of(program, certificates.client(shows=others)) as impostor:
            with pytest.raises(httpx.TransportError):
                await impostor.get(PATH_LIVE)


async def test_slow_handshakes_hold_nobody_up(
    secret: MountedSecret, certificates: Certificates
) -> None:
    assert Pace().handshake_seconds <= 30
    async with serving(secured(secret)) as program, AsyncExitStack() as stack:
        port = program.events("listening")[0]["port"]
        for _ in range(SLOW_HANDSHAKES):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            writer.write(b"\x16\x03\x01")
        async with client_of(program, certificates.client()) as client:
            assert (await client.post(PARSE, **parsed(sample_pdf()))).status_code == 200
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0


async def test_leaving_finishes_what_was_accepted(
    secret: MountedSecret, certificates: Certificates
) -> None:
    environ = secured(secret, fake={"pageMilliseconds": 300})
    async with (
        serving(environ) as program,
        client_of(program, certificates.client()) as client,
    ):
        reading = asyncio.create_task(client.post(PARSE, **parsed(sample_pdf())))
        async with client_of(program, certificates.client()) as observer:
            await eventually(lambda: is_busy(observer))
        program.signal(signal.SIGTERM)
        answer = await reading
        assert (answer.status_code, answer.headers["connection"]) == (200, "close")
        assert await program.exit_code() == 0


async def is_busy(client: httpx.AsyncClient) -> bool:
    return "docparser_requests_running 1.0" in (await client.get(PATH_METRICS)).text


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({ENV_TLS_KEY_FILE: "/nowhere"}, "DOCPARSER_TLS_CERT_FILE: No such file"),
        ({ENV_TLS_KEY_FILE: "tls.key"}, "DOCPARSER_TLS_KEY_FILE must hold an absolute path"),
        ({ENV_TLS_KEY_FILE: None}, "DOCPARSER_TLS_KEY_FILE belong together"),
        ({ENV_TLS_CERT_FILE: __file__}, "DOCPARSER_TLS_CERT_FILE: certificate, key or"),
    ],
)
async def test_what_cannot_be_used_ends_the_start(
    secret: MountedSecret, changed: dict[str, str | None], message: str
) -> None:
    environ = {name: value for name, value in (secured(secret) | changed).items() if value}
    code, _, errors = await run("serve", "--port", "0", environ=environ)
    assert (code, message in errors.splitlines()[-1]) == (2, True)
