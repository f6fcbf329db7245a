"""Tokens of tenants in a real process: replaced while it runs, and written nowhere."""

import io
import json
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.names import ENV_TOKEN, ENV_TOKENS_FILE, PATH_CONFIG, PATH_METRICS
from integration.runtime.processes import Program, environment, run, serving
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from support.mounted_secret import MountedSecret
from unit.runtime.doubles import PARSE, eventually

OLD, NEW = "canary-token-of-yesterday", "canary-token-of-tomorrow"


def tokens(*entries: dict[str, Any]) -> str:
    return json.dumps({"tokens": entries})


@pytest.fixture
def secret(tmp_path: Path) -> MountedSecret:
    mounted = MountedSecret(tmp_path / "secret")
    mounted.put(tokens__json=tokens({"tenant": "one", "token": OLD}))
    return mounted


def guarded(secret: MountedSecret, **limits: Any) -> dict[str, str]:
    file = secret.folder / "tokens.json"
    return environment(lameDuckSeconds=0, **limits) | {ENV_TOKENS_FILE: str(file)}


async def status(program: Program, token: str, path: str = PATH_CONFIG) -> int:
    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=program.url, headers=headers) as client:
        return (await client.get(path)).status_code


async def test_tokens_are_replaced_while_the_service_runs(secret: MountedSecret) -> None:
    async with serving(guarded(secret)) as program:
        assert (await status(program, OLD), await status(program, NEW)) == (200, 401)
        secret.put(tokens__json='{"tokens": [{"canary')
        await eventually(lambda: bool(program.events("tokens_not_reloaded")))
        assert (await status(program, OLD), await status(program, NEW)) == (200, 401)
        secret.put(tokens__json=tokens({"tenant": "one", "token": NEW}))
        await eventually(lambda: bool(program.events("tokens_reloaded")))
        assert (await status(program, OLD), await status(program, NEW)) == (401, 200)
    assert [line["reason"] for line in program.events("tokens_not_reloaded")] == [
        "neither JSON nor YAML: line 1"
    ]
    assert "canary" not in json.dumps(program.log)


async def test_failures_are_audited_whatever_the_log_level(secret: MountedSecret) -> None:
    async with serving(guarded(secret, logLevel="error"), until="") as program:
        port = await port_of(program)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            answer = await client.get(PATH_CONFIG, headers={"x-request-id": "mine"})
        assert answer.status_code == 401
        await eventually(lambda: bool(program.events("audit")))
    (line,) = program.events("audit")
    assert line.pop("timestamp")
    assert line == {
        "event": "audit",
        "level": "info",
        "action": "authenticate",
        "outcome": "unauthorized",
        "client": "127.0.0.1",
        "request_id": "mine",
    }


def opened(link: Path) -> str:
    """Return what a link of /proc leads to; nothing if it is gone by now."""
    try:
        return link.readlink().name
    except FileNotFoundError:
        return ""


async def port_of(program: Program) -> int:
    """Return the port of a server that logs nothing, once it answers."""
    listening = Path(f"/proc/{program.process.pid}/net/tcp")
    inodes = Path(f"/proc/{program.process.pid}/fd")

    def ports() -> list[int]:
        own = {opened(link) for link in inodes.iterdir()}
        lines = [line.split() for line in listening.read_text().splitlines()[1:]]
        return [
            int(line[1].partition(":")[2], 16)
            for line in lines
            if line[3] == "0A" and f"socket:[{line[9]}]" in own
        ]

    await eventually(lambda: bool(ports()), seconds=60)
    return ports()[0]


async def test_a_file_that_cannot_be_used_ends_the_start(secret: MountedSecret) -> None:
    secret.put(tokens__json=tokens({"tenant": "one", "token": "canary"}))
    code, _, errors = await run("serve", "--port", "0", environ=guarded(secret))
    assert code == 2
    assert "DOCPARSER_TOKENS_FILE: tokens.0.token: " in errors.splitlines()[-1]
    assert "canary" not in errors


def a_pdf(password: str | None = None) -> bytes:
    """Return a page with a canary in its text and its title, encrypted if there is a password."""
    stream = io.BytesIO()
    encryption = None if password is None else StandardEncryption(password, strength=128)
    canvas = Canvas(stream, encrypt=encryption, pageCompression=0)
    canvas.setTitle("canary-title")
    canvas.drawString(72, 720, "canary-text")
    canvas.save()
    return stream.getvalue()


async def failing_answers(client: httpx.AsyncClient) -> list[httpx.Response]:
    """Return the answers to requests that go wrong, each with canaries where they can stand."""
    key = {"authorization": f"Bearer {OLD}"}
    locked = a_pdf("canary-password")
    contents = (a_pdf()[:200], b"%PDF-1.7 canary-bytes", b"canary-bytes", locked)
    answers = [
        await client.post(PARSE, files={"file": ("canary-name", content)}, data=data, headers=key)
        for content in contents
        for data in ({}, {"password": "canary-wrong-password"})
    ]
    for token in ("canary-unknown-token", "canary two words"):
        wrong = {"authorization": f"Bearer {token}"}
        answers += [await client.post(PARSE, content=a_pdf(), headers=wrong)]
    basic = httpx.BasicAuth("canary-user", "canary-secret")
    answers += [await client.get(PATH_CONFIG, auth=basic)]
    answers += [await client.get("/canary-path?token=canary-query", headers=key)]
    answers += [await client.post(PARSE, json={"image_base64": "canary!"}, headers=key)]
    return answers


async def test_no_secret_and_no_text_is_written_anywhere(secret: MountedSecret) -> None:
    """Canaries in tokens, passwords, names and documents; the engine itself reads one."""
    environ = guarded(secret, logLevel="debug", fake={"text": "canary-text"})
    environ |= {ENV_TOKEN: "canary-token-of-the-environment"}
    async with (
        serving(environ) as program,
        httpx.AsyncClient(base_url=program.url, timeout=30) as client,
    ):
        key = {"authorization": f"Bearer {OLD}"}
        form, password = {"file": ("canary-name", a_pdf("canary-password"))}, "canary-password"
        good = await client.post(PARSE, files=form, data={"password": password}, headers=key)
        assert (good.status_code, "canary-text" in good.text) == (200, True)
        failures = await failing_answers(client)
        metrics = (await client.get(PATH_METRICS)).text
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0
    assert all(answer.status_code >= 400 for answer in failures)
    assert {401, 404, 415, 422} <= {answer.status_code for answer in failures}
    told = [*(str(answer.headers) + answer.text for answer in failures), metrics]
    assert "canary" not in "".join(told)
    assert program.events("audit")
    assert "canary" not in json.dumps(program.log) + "".join(program.last_words)
