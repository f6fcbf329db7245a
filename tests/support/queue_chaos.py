"""Kills and pauses those who work on a queue, restarts its database, and counts what came of it."""

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Job
from docparser_runtime.task_errors import QueueUnavailable
from support.eventually import eventually
from support.postgres import PostgresServer
from support.queue_chaos_count import Count, counted
from support.queue_processes import Program, entries, programs
from support.queue_programs import Options
from support.queues import RULES, QueueBench

SEED = 5
PATIENCE_SECONDS = 120.0
"""Longest time in which no job is done."""
_LISTED = 500


@dataclass(frozen=True)
class Plan:
    """What is to happen.

    Attributes:
        kills: kills and pauses, of workers and submitters. Who has nothing more to do is no victim.
        restarts: of the database; of all processes at once where it is a file.
        window: pages that a worker saves together.
        capacity: pages that may wait, so that submitters have work until nearly the end.
        longest_pause: in leases.
        max_crashes: without progress, after which a job is dead, and so lost.
    """

    jobs: int
    kills: int
    restarts: int
    workers: int = 4
    submitters: int = 2
    lease_seconds: float = 2.0
    window: int = 1
    capacity: int = 1000
    longest_pause: float = 4.0
    max_crashes: int = RULES.max_crashes


class Chaos:
    """One run of a plan.

    Attributes:
        troubles: what was done to whom, how often.
    """

    def __init__(
        self, plan: Plan, bench: QueueBench, record: Path, server: PostgresServer | None
    ) -> None:
        self.troubles: Counter[str] = Counter()
        self._plan = plan
        self._bench = bench
        self._record = record
        self._server = server
        self._chance = random.Random(SEED)  # noqa: S311 (a test's dice)
        self._progress = Progress(record)

    def run(self) -> Count:
        """Return what came of it, once every job has ended."""
        with programs() as self._started:
            self._roles = [("work", "") for _ in range(self._plan.workers)]
            self._roles += [("submit", f"s{n}") for n in range(self._plan.submitters)]
            self._running = [self._start(*role) for role in self._roles]
            troubles = self._troubles()
            for number, trouble in enumerate(troubles):
                # Spread over the jobs, so that each meets processes that are at work.
                self._wait_for_done(1 + number * self._plan.jobs // (len(troubles) + 1))
                trouble()
            asyncio.run(self._drained())
        listed = asyncio.run(self._listed())
        return counted(sorted(entries(self._record), key=lambda entry: entry.time_ns), listed)

    def _wait_for_done(self, jobs: int) -> None:
        while (before := self._progress.done()) < jobs:
            eventually(self._progress.done, lambda now: now > before, PATIENCE_SECONDS, "a job")

    def _start(self, role: str, name: str) -> Program:
        options = Options(
            self._plan.lease_seconds,
            slots=4,
            window=self._plan.window,
            page_ms=1,
            name=name,
            jobs=self._plan.jobs // self._plan.submitters,
            capacity=self._plan.capacity,
            max_crashes=self._plan.max_crashes,
        )
        program = Program(role, self._bench.address, self._record, options)
        self._started.append(program)
        return program

    def _troubles(self) -> list[Callable[[], None]]:
        pauses = self._plan.kills // 3
        troubles = [self._pause] * pauses + [self._kill] * (self._plan.kills - pauses)
        restart = self._restart_all if self._server is None else self._restart_database
        troubles += [restart] * self._plan.restarts
        self._chance.shuffle(troubles)
        return troubles

    def _victim(self) -> int:
        busy = [place for place, program in enumerate(self._running) if not program.ended()]
        return self._chance.choice(busy)

    def _kill(self) -> None:
        victim = self._victim()
        self._running[victim].kill()
        self._running[victim] = self._start(*self._roles[victim])
        self.troubles[f"SIGKILL, {self._roles[victim][0]}"] += 1

    def _pause(self) -> None:
        victim = self._victim()
        leases = self._chance.uniform(0.5, self._plan.longest_pause)
        self._running[victim].signal(signal.SIGSTOP)
        time.sleep(self._plan.lease_seconds * leases)
        self._running[victim].signal(signal.SIGCONT)
        self.troubles[f"SIGSTOP, {self._roles[victim][0]}"] += 1

    def _restart_all(self) -> None:
        for program in self._running:
            program.kill()
        self._running = [self._start(*role) for role in self._roles]
        self.troubles["SIGKILL of all"] += 1

    def _restart_database(self) -> None:
        assert self._server is not None
        self._server.stop()
        time.sleep(self._chance.uniform(0.0, 2 * self._plan.lease_seconds))
        self._server.start()
        self.troubles["restart of the database"] += 1

    async def _drained(self) -> None:
        """Return once all is submitted and nothing waits or runs."""
        async with self._bench.opened(lease_seconds=self._plan.lease_seconds) as queue:
            while not await self._is_drained(queue):
                await queue.wait_for_change(0.2)

    async def _is_drained(self, queue: SqlQueue) -> bool:
        for place, role in enumerate(self._roles):
            if self._running[place].ended() and role[0] == "work":
                self._running[place] = self._start(*role)
        submitters = self._running[self._plan.workers :]
        with suppress(QueueUnavailable):
            return all(one.ended() for one in submitters) and await queue.backlog() == []
        return False

    async def _listed(self) -> list[Job]:
        listed = list[Job]()
        async with self._bench.opened() as queue:
            while part := await queue.list("ann", listed[-1].id if listed else None, _LISTED):
                listed += part
        return listed


class Progress:
    """Tells how many jobs a record has as done, and reads each line of it once."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self._read_bytes = 0
        self._done = 0

    def done(self) -> int:
        """Return the number up to now."""
        with self._record.open("rb") as file:
            file.seek(self._read_bytes)
            news = file.read()
        whole = news[: news.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        self._done += sum(line.startswith(b"done ") for line in whole.splitlines())
        return self._done
