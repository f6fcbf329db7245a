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
from docparser_runtime.queue.values import State
from docparser_runtime.task_errors import QueueUnavailable
from support.eventually import eventually
from support.postgres import PostgresServer
from support.queue_processes import Entry, Program, entries, programs
from support.queue_programs import Options
from support.queues import QueueBench

SEED = 5
_LISTED = 500


@dataclass(frozen=True)
class Plan:
    """What is to happen.

    Attributes:
        kills: kills and pauses, of workers and submitters.
        restarts: of the database; 0 for SQLite.
    """

    jobs: int
    kills: int
    restarts: int
    workers: int = 4
    submitters: int = 2
    lease_seconds: float = 2.0
    seconds_between: float = 1.0


@dataclass(frozen=True)
class Count:
    """The total-queue count, and what was read twice.

    Attributes:
        lost: jobs that were acknowledged and are not done.
        unexpected: jobs that are there and were never submitted.
        recovered: jobs that are done though their acknowledgement was never heard.
        finished_twice: jobs whose end was accepted from more than one worker.
        in_hand: pages whose reading began again, as their worker had not saved them.
        read_again: pages whose reading began again after they were known as saved.
    """

    submitted: int
    acknowledged: int
    done: int
    lost: int
    unexpected: int
    recovered: int
    finished_twice: int
    pages: int
    in_hand: int
    read_again: int
    seconds: float

    @property
    def is_sound(self) -> bool:
        """Whether the queue kept its promises."""
        return self.lost == self.unexpected == self.finished_twice == self.read_again == 0


class Chaos:
    """One run of a plan."""

    def __init__(
        self, plan: Plan, bench: QueueBench, record: Path, server: PostgresServer | None
    ) -> None:
        self._plan = plan
        self._bench = bench
        self._record = record
        self._server = server
        self._chance = random.Random(SEED)  # noqa: S311 (a test's dice)

    def run(self) -> Count:
        """Return what came of it, once every job has ended."""
        began = time.monotonic()
        with programs() as self._started:
            self._roles = [("work", "") for _ in range(self._plan.workers)]
            self._roles += [("submit", f"s{n}") for n in range(self._plan.submitters)]
            self._running = [self._start(*role) for role in self._roles]
            # There is nothing to disturb before.
            eventually(self._is_under_way, bool, 120, "the first job is done")
            for trouble in self._troubles():
                time.sleep(self._plan.seconds_between * self._chance.uniform(0.5, 1.5))
                trouble()
            asyncio.run(self._drained())
        states = asyncio.run(self._states())
        return count(entries(self._record), states, time.monotonic() - began)

    def _is_under_way(self) -> bool:
        return any(entry.what == "done" for entry in entries(self._record))

    def _start(self, role: str, name: str) -> Program:
        jobs = self._plan.jobs // self._plan.submitters
        options = Options(
            self._plan.lease_seconds, slots=4, window=4, page_ms=1, name=name, jobs=jobs
        )
        program = Program(role, self._bench.address, self._record, options)
        self._started.append(program)
        return program

    def _troubles(self) -> list[Callable[[], None]]:
        pauses = self._plan.kills // 3
        troubles = [self._pause] * pauses + [self._kill] * (self._plan.kills - pauses)
        troubles += [self._restart_database] * self._plan.restarts
        self._chance.shuffle(troubles)
        return troubles

    def _kill(self) -> None:
        victim = self._chance.randrange(len(self._running))
        self._running[victim].kill()
        self._running[victim] = self._start(*self._roles[victim])

    def _pause(self) -> None:
        victim = self._running[self._chance.randrange(self._plan.workers)]
        victim.signal(signal.SIGSTOP)
        time.sleep(self._plan.lease_seconds * self._chance.uniform(0.5, 2.0))
        victim.signal(signal.SIGCONT)

    def _restart_database(self) -> None:
        assert self._server is not None
        self._server.stop()
        time.sleep(self._chance.uniform(0.0, 2 * self._plan.lease_seconds))
        self._server.start()

    async def _drained(self) -> None:
        """Return once all is submitted and nothing waits or runs."""
        async with self._bench.opened(lease_seconds=self._plan.lease_seconds) as queue:
            while not await self._is_drained(queue):
                await queue.wait_for_change(0.2)

    async def _is_drained(self, queue: SqlQueue) -> bool:
        for place, role in enumerate(self._roles):
            if role[0] == "work" and self._running[place].ended():
                self._running[place] = self._start(*role)
        submitters = self._running[self._plan.workers :]
        with suppress(QueueUnavailable):
            return all(one.ended() for one in submitters) and await queue.backlog() == []
        return False

    async def _states(self) -> dict[str, State]:
        states: dict[str, State] = {}
        async with self._bench.opened() as queue:
            after = None
            while part := await queue.list("ann", after, _LISTED):
                states |= {job.id: job.state for job in part}
                after = part[-1].id
        return states


def count(found: list[Entry], states: dict[str, State], seconds: float) -> Count:
    """Return the count of a record and of the states in which the jobs are at the end."""
    jobs = {what: {e.job for e in found if e.what == what} for what in ("try", "ack")}
    done = {job for job, state in states.items() if state is State.DONE}
    ends = Counter(entry.job for entry in found if entry.what == "done")
    saved: set[tuple[str, int]] = set()
    begun: set[tuple[str, int]] = set()
    workers: dict[str, int] = {}
    in_hand = read_again = 0
    for entry in sorted(found, key=lambda entry: entry.time_ns):
        page = (entry.job, entry.page)
        if entry.what == "saved":
            saved.add(page)
        elif entry.what == "claim":
            workers[entry.job] = entry.pid
        elif entry.what == "page":
            # A worker that was paused goes on with what it had in hand until it hears of its loss.
            is_late = workers.get(entry.job) != entry.pid
            read_again += page in saved and not is_late
            in_hand += page in begun and (page not in saved or is_late)
            begun.add(page)
    return Count(
        submitted=len(jobs["try"]),
        acknowledged=len(jobs["ack"]),
        done=len(done),
        lost=len(jobs["ack"] - done),
        unexpected=len(states.keys() - jobs["try"]),
        recovered=len(done - jobs["ack"]),
        finished_twice=sum(times > 1 for times in ends.values()),
        pages=len(begun),
        in_hand=in_hand,
        read_again=read_again,
        seconds=seconds,
    )
