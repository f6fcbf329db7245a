"""A server that is sent bad documents, and what becomes of it and of the processes below it."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from integration.runtime.processes import Program
from support.mutations import Mutant
from support.process_trees import descendants
from unit.runtime.doubles import PARSE

AT_ONCE = 2
"""As many as are read at once, so that none waits for others."""
LOOK_SECONDS = 0.01
FILTERED = "\nSeccomp:\t2\n"
"""A process that is confined says so in its status."""


@dataclass
class Toll:
    """What bad documents led to.

    Attributes:
        answers: number of answers by status and code.
        failures: names of documents that were answered with 5xx or not at all.
        times: seconds that each document took, its outcome and name.
        parsers: confined processes that were seen.
        sockets: most sockets that a confined process was seen with; one is its own.
        resident_bytes: memory of the server when nothing was sent yet, and in the end.
    """

    answers: Counter[str] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)
    times: list[tuple[float, str, str]] = field(default_factory=list)
    parsers: set[int] = field(default_factory=set)
    sockets: int = 0
    resident_bytes: tuple[int, int] = (0, 0)


async def toll_of(program: Program, mutants: Iterable[Mutant]) -> Toll:
    """Send all `mutants` to `program`, some at a time, and return what became of them."""
    toll, before = Toll(), resident_bytes(program.process.pid)
    looking = asyncio.create_task(_look(program.process.pid, toll))
    turns = iter(mutants)
    async with (
        httpx.AsyncClient(base_url=program.url, timeout=120) as client,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(AT_ONCE):
            group.create_task(_send(client, turns, toll))
    looking.cancel()
    await asyncio.wait([looking])
    toll.resident_bytes = (before, resident_bytes(program.process.pid))
    return toll


def resident_bytes(process_id: int) -> int:
    status = Path(f"/proc/{process_id}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


async def _send(client: httpx.AsyncClient, turns: Iterable[Mutant], toll: Toll) -> None:
    for mutant in turns:
        began = time.perf_counter()
        try:
            answer = await client.post(PARSE, files={"file": ("document", mutant.content)})
        except httpx.TransportError as error:
            outcome = type(error).__name__
        else:
            code = "" if answer.is_success else answer.json()["code"]
            outcome = f"{answer.status_code} {code}".strip()
        toll.answers[outcome] += 1
        toll.times.append((time.perf_counter() - began, outcome, mutant.name))
        if not outcome.startswith(("2", "4")):
            toll.failures[mutant.name] = outcome


async def _look(server: int, toll: Toll) -> None:
    """Count the sockets of all confined processes below `server`, until cancelled."""
    while True:
        for process_id in descendants(server):
            sockets = _sockets_if_confined(process_id)
            if sockets is not None:
                toll.parsers.add(process_id)
                toll.sockets = max(toll.sockets, sockets)
        await asyncio.sleep(LOOK_SECONDS)


def _sockets_if_confined(process_id: int) -> int | None:
    folder = Path(f"/proc/{process_id}")
    try:
        if FILTERED not in (folder / "status").read_text():
            return None
        targets = [str(path.readlink()) for path in (folder / "fd").iterdir()]
    except OSError:
        # It ended while it was looked at.
        return None
    return sum(target.startswith("socket:") for target in targets)
