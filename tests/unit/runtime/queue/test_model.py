"""Any sequence of calls leads where a small model of the rules says."""

import os
from dataclasses import dataclass, field

import pytest
from docparser_runtime.queue import claims, endings, reading, reaping, submission
from docparser_runtime.queue.base import LostClaim
from docparser_runtime.queue.migrating import migrate
from docparser_runtime.queue.schema import JOBS, SWEEPER
from docparser_runtime.queue.values import Claim, Failure, Priority, Rules, State
from docparser_runtime.task_errors import TaskQueueFull, TenantLimit
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
)
from sqlalchemy import create_engine, update
from support.queues import TRACK, a_job, page

RULES = Rules(
    max_queued_pages=12,
    max_queued_pages_per_tenant=8,
    max_running_per_tenant=2,
    lease_seconds=10.0,
    max_crashes=3,
    retention_seconds=100.0,
)
TENANTS = ("ann", "bob")
TRACKS = (TRACK, "canary")


@dataclass
class ModelJob:
    """What the model knows of a job."""

    number: int
    tenant: str
    priority: Priority
    track: str
    pages: int
    state: State = State.QUEUED
    owner: str | None = None
    crashes: int = 0
    cancel: bool = False
    saved: list[int] = field(default_factory=list)


class QueueMachine(RuleBasedStateMachine):
    """Calls the rules on SQLite in memory, and does the same to the model."""

    job_ids = Bundle("job_ids")
    claimed = Bundle("claimed")

    def __init__(self) -> None:
        super().__init__()
        self.engine = create_engine("sqlite://")
        self.connection = self.engine.connect()
        migrate(self.connection)
        self.jobs: dict[str, ModelJob] = {}
        self.owners = 0

    def teardown(self) -> None:
        self.connection.close()
        self.engine.dispose()

    def live_pages(self, *tenants: str) -> int:
        live = (job for job in self.jobs.values() if not job.state.is_final)
        return sum(job.pages for job in live if job.tenant in tenants)

    @rule(
        target=job_ids,
        tenant=st.sampled_from(TENANTS),
        priority=st.sampled_from(Priority),
        track=st.sampled_from(TRACKS),
        pages=st.integers(1, 4),
    )
    def submit(self, tenant: str, priority: Priority, track: str, pages: int) -> object:
        new = a_job(tenant=tenant, priority=priority, track=track, pages=pages)
        full = self.live_pages(*TENANTS) + pages > RULES.max_queued_pages
        if full or self.live_pages(tenant) + pages > 8:
            with pytest.raises(TaskQueueFull if full else TenantLimit):
                submission.submit(self.connection, new, RULES)
            return multiple()
        submission.submit(self.connection, new, RULES)
        self.jobs[new.id] = ModelJob(len(self.jobs), tenant, priority, track, pages)
        return new.id

    @rule(target=claimed, tracks=st.sets(st.sampled_from(TRACKS), min_size=1), alone=st.booleans())
    def claim(self, tracks: set[str], alone: bool) -> object:  # noqa: FBT001 (hypothesis names it)
        self.owners += 1
        owner = f"owner-{self.owners}"
        claim = claims.claim(self.connection, tracks, owner, RULES, alone=alone)
        expected = min(
            (item for item in self.jobs.items() if self.is_claimable(item[1], tracks, alone=alone)),
            key=lambda item: (-item[1].priority, item[1].number),
            default=None,
        )
        if claim is None or expected is None:
            assert (claim, expected) == (None, None)
            return multiple()
        job_id, job = expected
        assert claim.job.id == job_id
        assert claim.saved == set(job.saved)
        assert claim.is_exclusive == (job.crashes >= 2)
        job.state, job.owner = State.RUNNING, owner
        return claim

    def is_claimable(self, job: ModelJob, tracks: set[str], *, alone: bool) -> bool:
        running = [j for j in self.jobs.values() if j.state is State.RUNNING]
        has_room = sum(j.tenant == job.tenant for j in running) < 2
        fits = job.track in tracks and (alone or job.crashes < 2)
        return job.state is State.QUEUED and fits and has_room

    def owned(self, claim: Claim) -> ModelJob | None:
        """Return the job if the claim is still good."""
        job = self.jobs[claim.job.id]
        return job if job.owner == claim.owner else None

    @rule(claim=claimed, pages=st.lists(st.integers(0, 3), max_size=3))
    def save(self, claim: Claim, pages: list[int]) -> None:
        job = self.owned(claim)
        given = [page(n) for n in pages]
        if job is None:
            with pytest.raises(LostClaim):
                claims.save_pages(self.connection, claim, given)
            return
        claims.save_pages(self.connection, claim, given)
        fresh = [n for n in dict.fromkeys(pages) if n not in job.saved]
        job.saved += fresh
        job.crashes = 0 if fresh else job.crashes

    @rule(claim=consumes(claimed), ending=st.sampled_from(["finish", "fail", "release"]))
    def end(self, claim: Claim, ending: str) -> None:
        job = self.owned(claim)
        try:
            if ending == "finish":
                endings.finish(self.connection, claim, {}, (), RULES)
            elif ending == "fail":
                endings.fail(self.connection, claim, Failure("c", "d"), RULES)
            else:
                endings.release(self.connection, claim, RULES)
        except LostClaim:
            assert job is None
            return
        assert job is not None
        given_back = State.CANCELLED if job.cancel else State.QUEUED
        ends = {"finish": State.DONE, "fail": State.FAILED, "release": given_back}
        job.state, job.owner = State.CANCELLED if job.cancel else ends[ending], None

    @rule(job_id=job_ids)
    def cancel(self, job_id: str) -> None:
        job = self.jobs[job_id]
        if not job.state.is_final:
            job.cancel = True
        if job.state is State.QUEUED:
            job.state = State.CANCELLED
        told = endings.cancel(self.connection, job_id, job.tenant, RULES)
        assert told is not None
        assert told.state is job.state

    @rule()
    def crash(self) -> None:
        """All workers die, and a healthy lease passes."""
        reaping.reap(self.connection, RULES)
        self.connection.execute(update(JOBS).values(beat_at=JOBS.c.beat_at - 11))
        self.connection.execute(update(SWEEPER).values(healthy_since=SWEEPER.c.healthy_since - 11))
        running = [job for job in self.jobs.values() if job.state is State.RUNNING]
        assert len(reaping.reap(self.connection, RULES)) == len(running)
        for job in running:
            job.crashes += 1
            dead = State.DEAD if job.crashes >= RULES.max_crashes else State.QUEUED
            job.state, job.owner = State.CANCELLED if job.cancel else dead, None

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        for tenant in TENANTS:
            for told in reading.jobs(self.connection, tenant, None, 1000):
                job = self.jobs[told.id]
                assert (told.state, told.crashes) == (job.state, job.crashes)
                assert told.pages_done == len(job.saved)
                assert (told.expires_at is not None) == told.state.is_final
        assert self.live_pages(*TENANTS) <= RULES.max_queued_pages


QueueMachine.TestCase.settings = settings(
    max_examples=int(os.environ.get("QUEUE_EXAMPLES", "5")),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestQueue = QueueMachine.TestCase
