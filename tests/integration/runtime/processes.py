"""Starts the program as a process of its own."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from docparser_api.names import ENV_DATA, ENV_MODEL, ENV_PREFIX, ENV_RUNTIME
from unit.runtime.doubles import eventually

COMMAND = (sys.executable, "-m", "docparser_runtime")


def environment(**limits: Any) -> dict[str, str]:
    """Return our own environment, with the fake engine and `limits` as its configuration."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ENV_PREFIX)}
    ours = {ENV_MODEL: json.dumps({"engine": "fake"}), ENV_RUNTIME: json.dumps(limits)}
    return clean | ours | {ENV_DATA: "none"}


@dataclass
class Program:
    """A running server."""

    process: asyncio.subprocess.Process
    host: str = "127.0.0.1"
    log: list[dict[str, Any]] = field(default_factory=list)
    last_words: list[str] = field(default_factory=list)
    _reading: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.events('listening')[0]['port']}"

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.log if line["event"] == name]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def get(self, path: str) -> httpx.Response:
        async with httpx.AsyncClient(base_url=self.url) as client:
            return await client.get(path)

    async def is_ready(self) -> bool:
        """Return what a load balancer would find out."""
        if not self.events("listening"):
            return False
        try:
            return (await self.get("/readyz")).status_code == 200
        except httpx.TransportError:
            return False

    async def metric(self, name: str) -> float:
        lines = (await self.get("/metrics")).text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))

    async def exit_code(self) -> int:
        return await asyncio.wait_for(self.process.wait(), 20)

    async def read_log(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            if line.startswith(b"{"):
                assert not self.last_words, "nothing comes after the last words"
                self.log.append(json.loads(line))
            else:
                self.last_words.append(line.decode())


@asynccontextmanager
async def serving(
    environ: dict[str, str],
    *,
    until: str = "engine_ready",
    role: str = "all",
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncIterator[Program]:
    """Yield a server that has logged the event `until`, if any; end it afterwards."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("serve", "--host", host, "--port", str(port), "--role", role),
        env=environ,
        stderr=asyncio.subprocess.PIPE,
    )
    program = Program(process, host)
    reading = asyncio.create_task(program.read_log())
    try:
        await eventually(lambda: not until or bool(program.events(until)) or reading.done(), 60)
        yield program
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        await reading


async def run(*arguments: str, environ: dict[str, str], stdin: bytes = b"") -> tuple[int, str, str]:
    """Run the program to its end; return its exit code, output and error output."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *arguments,
        env=environ,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(stdin), 60)
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()
