"""Real servers that are told to leave while clients use them: no request is lost."""

import asyncio
import io
import json
import signal
from collections.abc import AsyncIterator

import httpx
import pytest
from docparser_api.names import ENV_TOKEN
from integration.runtime.processes import Program, environment, serving
from PIL import Image
from unit.runtime.doubles import PARSE, eventually


@pytest.fixture(scope="module")
def page() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(stream, "PNG")
    return stream.getvalue()


async def read(client: httpx.AsyncClient, url: str, page: bytes) -> httpx.Response:
    return await client.post(url + PARSE, files={"file": ("p.png", page)})


async def queue_is_long(program: Program, length: int) -> bool:
    return await program.metric("docparser_requests_waiting") == length


class Balancer:
    """Sends each request to a server that was ready at the latest look."""

    def __init__(self, *programs: Program) -> None:
        self.programs = list(programs)
        self.ready: list[Program] = []
        self.answers: list[httpx.Response] = []
        self.failures: list[Exception] = []

    async def look(self) -> None:
        while True:
            self.ready = [program for program in self.programs if await program.is_ready()]
            await asyncio.sleep(0.1)

    async def use(self, client: httpx.AsyncClient, page: bytes, turn: int) -> None:
        while True:
            program = self.ready[turn % len(self.ready)]
            turn += 1
            try:
                self.answers.append(await read(client, program.url, page))
            except httpx.TransportError as error:
                self.failures.append(error)


@pytest.fixture
async def balancer() -> AsyncIterator[Balancer]:
    limits = {"lameDuckSeconds": 1, "maxConcurrency": 2, "fake": {"pageMilliseconds": 5}}
    environ = environment(**limits)
    async with serving(environ, until="") as old, serving(environ, until="") as new:
        yield Balancer(old, new)


async def test_a_rolling_replacement_loses_no_request(balancer: Balancer, page: bytes) -> None:
    old = balancer.programs[0]
    async with httpx.AsyncClient(timeout=30) as client:
        users = [asyncio.create_task(balancer.look())]
        await eventually(lambda: len(balancer.ready) == 2)
        users += [asyncio.create_task(balancer.use(client, page, n)) for n in range(4)]
        await eventually(lambda: len(balancer.answers) > 10)
        old.signal(signal.SIGTERM)
        assert await old.exit_code() == 0
        served = len(balancer.answers)
        await eventually(lambda: len(balancer.answers) > served + 10)
        for user in users:
            user.cancel()
        await asyncio.wait(users)
    assert balancer.failures == []
    assert {answer.status_code for answer in balancer.answers} == {200}
    assert any(answer.headers.get("connection") == "close" for answer in balancer.answers)
    assert [line["status"] for line in old.events("request") if line["status"] != 200] == []


async def test_accepted_requests_finish_whatever_signals_come(page: bytes) -> None:
    limits = {"lameDuckSeconds": 0, "maxConcurrency": 1, "fake": {"pageMilliseconds": 150}}
    async with (
        serving(environment(**limits)) as program,
        httpx.AsyncClient(timeout=30) as client,
    ):
        requests = [asyncio.create_task(read(client, program.url, page)) for _ in range(4)]
        await eventually(lambda: queue_is_long(program, 3))
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT, signal.SIGINT):
            program.signal(number)
        answers = await asyncio.gather(*requests)
        assert [answer.status_code for answer in answers] == [200] * 4
        assert await program.exit_code() == 0


async def test_during_the_lame_duck_time_new_connections_are_served(page: bytes) -> None:
    async with serving(environment(lameDuckSeconds=30)) as program:
        program.signal(signal.SIGTERM)
        await eventually(lambda: bool(program.events("draining")))
        assert (await program.get("/readyz")).status_code == 503
        async with httpx.AsyncClient() as client:
            answer = await read(client, program.url, page)
        assert (answer.status_code, answer.headers["connection"]) == (200, "close")
        assert (await program.get("/livez")).status_code == 200
        program.signal(signal.SIGINT)  # a person does not want to wait
        program.signal(signal.SIGINT)
        assert await program.exit_code() == 0


async def test_probes_are_answered_while_the_engine_loads_and_leaving_is_possible() -> None:
    slow = environment(lameDuckSeconds=0, fake={"loadMilliseconds": 60_000})
    async with serving(slow, until="listening") as program:
        assert (await program.get("/livez")).status_code == 200
        assert (await program.get("/startupz")).status_code == 503
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0


async def test_nothing_secret_is_written_anywhere(page: bytes) -> None:
    """A canary in every place from which text could leak."""
    environ = environment(logLevel="debug") | {ENV_TOKEN: "canary-token"}
    answers: list[httpx.Response] = []
    async with serving(environ) as program:
        authorization = {"authorization": "Bearer canary-token"}
        async with httpx.AsyncClient(base_url=program.url, headers=authorization) as client:
            for content in (page, page[:40], b"%PDF-1.7 canary-text", b"canary-text"):
                form = {"file": ("canary-name", content)}
                password = {"password": "canary-password"}
                answers += [await client.post(PARSE, files=form, data=password)]
            answers += [await client.post(PARSE, json={"pages": ["canary-value!"]})]
            form_type = {"content-type": "multipart/form-data; boundary=b"}
            bad_form = b"--b\r\ncanary name: x\r\n\r\n"
            answers += [await client.post(PARSE, content=bad_form, headers=form_type)]
            for path in ("/canary-path?canary=query", "/metrics", "/config"):
                answers += [await client.get(path)]
        answers += [await program.get(PARSE)]
        program.signal(signal.SIGTERM)
        program.signal(signal.SIGINT)
        program.signal(signal.SIGINT)
        assert await program.exit_code() == 0
    codes = [answer.status_code for answer in answers]
    assert codes == [200, 422, 422, 415, 400, 400, 404, 200, 200, 401]
    assert "canary" not in json.dumps(program.log) + "".join(answer.text for answer in answers)
