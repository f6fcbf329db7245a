"""Gateways and workers of a real service are killed and paused, its database restarted.

PYTHONPATH=tests .venv/bin/python tests/benchmarks/service_chaos.py --tasks 1000 --kills 100

Clients submit documents with idempotency keys, try again whenever an answer fails to come, and
fetch each result. Ends with an error when a task is lost, comes twice, has not all of its pages
once, or an answer is not one of those that clients can expect.
"""

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from docparser_api.names import ENV_DATABASE_URL, ENV_STORE_URL, PATH_TASKS
from integration.runtime.processes import Program, environment, serving
from integration.runtime.tasks.client import blank_pdf
from support.operator_process import free_port
from support.postgres import PostgresServer, running_postgres

SEED = 5
MOST_PAGES = 20
CLIENTS = 12
LEASE_SECONDS = 2
RETRY_SECONDS = 0.2
PATIENCE_SECONDS = 120
BUSY = {429, 503}
"""What a client must expect of a service in trouble, beside no answer at all."""

Deed = Callable[[], Awaitable[None]]


class Place:
    """A process of the service, which is started anew when it was killed."""

    def __init__(self, role: str, environ: dict[str, str]) -> None:
        self.role = role
        self.port = free_port()
        self._environ = environ
        self._stack = AsyncExitStack()

    async def start(self) -> None:
        """Start it; others may wait until it answers."""
        running = serving(self._environ, until="", role=self.role, port=self.port)
        self.program: Program = await self._stack.enter_async_context(running)

    async def kill(self) -> None:
        """Kill it, paused or not."""
        await self._stack.aclose()


@dataclass
class Clients:
    """Clients that give up on nothing.

    Attributes:
        ids: of the tasks, by their keys.
        wrong: what should not have been, how often.
        retries: answers that did not come, or told to come again.
    """

    ports: list[int]
    done: int = 0
    ids: dict[str, str] = field(default_factory=dict)
    wrong: Counter[str] = field(default_factory=Counter)
    retries: Counter[str] = field(default_factory=Counter)

    async def run(self, tasks: int) -> None:
        """Submit so many tasks and fetch their results."""
        numbers = iter(range(tasks))
        chance = random.Random(SEED)  # noqa: S311 (a test's dice)
        async with httpx.AsyncClient(timeout=30) as http, asyncio.TaskGroup() as group:
            for _ in range(CLIENTS):
                group.create_task(self._client(http, numbers, chance))

    async def _client(self, http: httpx.AsyncClient, numbers: Any, chance: random.Random) -> None:
        for number in numbers:
            key, pages = f"key-{number}", chance.randint(1, MOST_PAGES)
            request = {
                "files": {"file": ("a.pdf", blank_pdf(pages))},
                "headers": {"Idempotency-Key": key},
            }
            task = await self._asked(http, "POST", "", 202, **request)
            self.ids[key] = task["id"]
            while task["status"] in {"queued", "running"}:
                task = await self._asked(http, "GET", f"/{task['id']}", 200, params={"wait": 20})
            self.wrong[f"task {task['status']} {task['error']}"] += task["status"] != "done"
            if task["status"] == "done":
                result = await self._asked(http, "GET", f"/{task['id']}/result", 200)
                found = [page["index"] for page in result["pages"]]
                self.wrong[f"pages {found} of {pages}"] += found != list(range(pages))
            again = await self._asked(http, "POST", "", 202, **request)
            self.wrong["another task for the same key"] += again["id"] != task["id"]
            self.done += 1

    async def _asked(
        self, http: httpx.AsyncClient, method: str, path: str, status: int, **request: Any
    ) -> dict[str, Any]:
        """Return the answer's body, once one comes from any gateway."""
        for turn in range(10_000):
            url = f"http://127.0.0.1:{self.ports[turn % len(self.ports)]}{PATH_TASKS}{path}"
            try:
                answer = await http.request(method, url, **request)
            except httpx.TransportError as error:
                self.retries[type(error).__name__] += 1
            else:
                if answer.status_code == status:
                    return dict(answer.json())
                said = f"{answer.status_code} {answer.json()['code']}"
                self.retries[said] += 1
                self.wrong[f"{method} {said}"] += answer.status_code not in BUSY
            await asyncio.sleep(RETRY_SECONDS)
        raise AssertionError(f"no answer to {method} {path}")

    async def listed(self) -> list[str]:
        """Return the ids of all tasks, as the service lists them."""
        found, after = list[str](), dict[str, str]()
        async with httpx.AsyncClient(timeout=30) as http:
            while True:
                part = await self._asked(http, "GET", "", 200, params={"limit": "100"} | after)
                found += [task["id"] for task in part["tasks"]]
                if part["next"] is None:
                    return found
                after = {"after": part["next"]}


@dataclass
class Storm:
    """What happens to a service while clients use it."""

    places: list[Place]
    postgres: PostgresServer
    clients: Clients
    troubles: Counter[str] = field(default_factory=Counter)
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))  # noqa: S311

    async def run(self, tasks: int, kills: int, restarts: int) -> None:
        """Spread the troubles over the tasks."""
        deeds: list[Deed] = [self._pause] * (kills // 3)
        deeds += [self._kill] * (kills - kills // 3) + [self._restart] * restarts
        self.chance.shuffle(deeds)
        for number, deed in enumerate(deeds):
            await self._wait_for(number * tasks // (len(deeds) + 1))
            await deed()

    async def _wait_for(self, done: int) -> None:
        began, before = time.monotonic(), self.clients.done
        while self.clients.done < done:
            await asyncio.sleep(RETRY_SECONDS / 4)
            if self.clients.done > before:
                began, before = time.monotonic(), self.clients.done
            assert time.monotonic() - began < PATIENCE_SECONDS, "no task is done any more"

    async def _victim(self) -> Place:
        """Return one that has come up."""
        for _ in range(int(PATIENCE_SECONDS / RETRY_SECONDS)):
            if up := [place for place in self.places if place.program.events("listening")]:
                return self.chance.choice(up)
            await asyncio.sleep(RETRY_SECONDS)
        raise AssertionError("no process comes up")

    async def _kill(self) -> None:
        place = await self._victim()
        await place.kill()
        await place.start()
        self.troubles[f"SIGKILL, {place.role}"] += 1

    async def _pause(self) -> None:
        place = await self._victim()
        place.program.signal(signal.SIGSTOP)
        await asyncio.sleep(LEASE_SECONDS * self.chance.uniform(0.5, 4))
        place.program.signal(signal.SIGCONT)
        self.troubles[f"SIGSTOP, {place.role}"] += 1

    async def _restart(self) -> None:
        await asyncio.to_thread(self.postgres.stop)
        await asyncio.sleep(self.chance.uniform(0, 2 * LEASE_SECONDS))
        await asyncio.to_thread(self.postgres.start)
        self.troubles["restart of the database"] += 1


async def weathered(
    arguments: argparse.Namespace, postgres: PostgresServer, store: Path
) -> Counter[str]:
    """Print what happened; return what should not have been."""
    shared = {ENV_DATABASE_URL: postgres.new_database("storm"), ENV_STORE_URL: store.as_uri()}
    limits = {"tasks": {"leaseSeconds": LEASE_SECONDS}, "fake": {"pageMilliseconds": 2}}
    environ = environment(accessLogPercent=0, **limits) | shared
    places = [Place(role, environ) for role in ("gateway", "gateway", "worker", "worker")]
    clients = Clients([place.port for place in places if place.role == "gateway"])
    storm, began = Storm(places, postgres, clients), time.monotonic()
    async with AsyncExitStack() as stack:
        for place in places:
            stack.push_async_callback(place.kill)
            await place.start()
        async with asyncio.TaskGroup() as group:
            group.create_task(clients.run(arguments.tasks))
            group.create_task(storm.run(arguments.tasks, arguments.kills, arguments.restarts))
        listed = await clients.listed()
    clients.wrong["lost"] += len(set(clients.ids.values()) - set(listed))
    clients.wrong["unexpected"] += len(set(listed) - set(clients.ids.values()))
    clients.wrong["listed twice"] += len(listed) - len(set(listed))
    rows = {**storm.troubles, "tasks done": clients.done, **clients.retries}
    for name, times in {**rows, "seconds": round(time.monotonic() - began)}.items():
        print(f"{name:28} {times:6d}")
    return +clients.wrong


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--restarts", type=int, default=10)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        home, store = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="service-chaos-")))
            for _ in range(2)
        )
        home.chmod(0o755)
        postgres = stack.enter_context(running_postgres(home))
        wrong = asyncio.run(weathered(arguments, postgres, store))
    for what, times in wrong.items():
        print(f"NOT AS IT SHOULD BE: {times} times {what}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
