"""Looks at the load of pods, on a clock that jumps."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from docparser_api.autoscaling import ScalingReason
from docparser_operator.autoscaling.subject import Load, ScalingSubject
from docparser_operator.autoscaling.values import Rules, State, Supply
from docparser_operator.kinds import Key
from docparser_operator.meter import INTERVAL_SECONDS, Meter
from docparser_operator.metrics import Metrics
from support.exposed_load import exposed
from unit.operator.analysis.pods import FakeFetch

pytestmark = pytest.mark.looptime

KEY, OTHER = Key("ns", "a"), Key("ns", "b")
BEGUN = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
RULES = Rules(1, 5, pages_per_second=1.0)


def subject(*addresses: str, reason: ScalingReason = ScalingReason.AT_MINIMUM) -> ScalingSubject:
    pods = tuple((f"uid-{address}", address) for address in addresses)
    supply = Supply(len(pods), lead_time_seconds=10)
    return ScalingSubject(RULES, pods, False, supply, BEGUN, State(1), reason)  # noqa: FBT003


@dataclass
class Bench:
    """A running meter, and the keys that it woke."""

    fetch: FakeFetch = field(default_factory=FakeFetch)
    metrics: Metrics = field(default_factory=Metrics)
    woken: list[Key] = field(default_factory=list)

    def __post_init__(self) -> None:
        clock: Callable[[], float] = asyncio.get_running_loop().time
        self.meter = Meter(
            self.woken.append,
            clock,
            lambda: BEGUN + timedelta(seconds=clock()),
            self.fetch,
            self.metrics,
        )
        self.task = asyncio.create_task(self.meter.run())

    def load(self) -> Load:
        found = self.meter.load(KEY)
        assert found is not None
        return found

    def queued(self) -> float | None:
        demand = self.load().demand
        return None if demand is None else demand.queued_pages

    async def close(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])
        await self.meter.close()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.close()


async def passed(seconds: float) -> None:
    """Let time pass; the loop's clock jumps."""
    await asyncio.sleep(seconds)


async def test_nothing_is_known_of_what_is_not_watched(bench: Bench) -> None:
    assert bench.meter.load(KEY) is None
    bench.meter.watch(KEY, subject("a"))
    bench.meter.watch(KEY, None)
    assert bench.meter.load(KEY) is None


async def test_a_load_that_changes_nothing_wakes_nobody(bench: Bench) -> None:
    bench.fetch.pods = {"a": exposed(pages=5)}
    bench.meter.watch(KEY, subject("a"))
    await passed(60)
    assert bench.queued() == 0
    assert bench.woken == []


async def test_work_that_waits_wakes_its_object_at_the_next_look(bench: Bench) -> None:
    bench.fetch.pods = {"a": exposed(pages=5), "b": exposed()}
    bench.meter.watch(KEY, subject("a"))
    bench.meter.watch(OTHER, subject("b"))
    await passed(1)
    bench.fetch.pods["a"] = exposed(pages=5, queued_pages=500)
    await passed(INTERVAL_SECONDS)
    assert bench.queued() == 500
    assert bench.woken == [KEY]


async def test_what_was_wished_for_is_remembered_but_not_taken_as_asked_for(bench: Bench) -> None:
    bench.fetch.pods = {"a": exposed(queued_pages=500)}
    bench.meter.watch(KEY, subject("a"))
    await passed(1)
    state = bench.load().state
    assert state is not None
    assert state.replicas == 1
    assert state.wished is not None
    assert state.wished.replicas > 5


async def test_a_pod_that_is_silent_counts_as_it_was_if_most_others_answer(bench: Bench) -> None:
    bench.fetch.pods = {name: exposed(queued_pages=10) for name in ("a", "b")}
    bench.meter.watch(KEY, subject("a", "b"))
    await passed(1)
    bench.fetch.pods = {"a": exposed(queued_pages=1)}
    await passed(INTERVAL_SECONDS)
    assert bench.queued() == 11


async def test_measurements_grow_old_where_pods_are_silent_and_that_is_told(bench: Bench) -> None:
    bench.fetch.pods = {"a": exposed(pages=5)}
    bench.meter.watch(KEY, subject("a"))
    await passed(1)
    for text in ("<html>", None):
        bench.fetch.pods = {"a": text} if text else {}
        await passed(30)
    assert bench.load().demand is not None
    assert bench.woken == []
    await passed(20)
    assert set(bench.woken) == {KEY}


async def test_a_new_subject_goes_on_with_what_was_measured(bench: Bench) -> None:
    bench.fetch.pods = {"a": exposed(queued_pages=7), "b": exposed(queued_pages=2)}
    bench.meter.watch(KEY, subject("a"))
    await passed(1)
    changed = replace(subject("a", "b"), state=State(4))
    bench.meter.watch(KEY, changed)
    assert bench.queued() == 7
    assert bench.load().state == State(4)
    await passed(INTERVAL_SECONDS)
    assert bench.queued() == 9


async def test_a_fault_with_one_object_does_not_stop_the_others(bench: Bench) -> None:
    bench.fetch.broken = {"a"}
    bench.fetch.pods = {"b": exposed(queued_pages=500)}
    bench.meter.watch(KEY, subject("a"))
    bench.meter.watch(OTHER, subject("b"))
    await passed(12)
    assert bench.woken.count(OTHER) == 3
    assert bench.queued() is None


async def test_all_is_forgotten_at_the_end(bench: Bench) -> None:
    bench.meter.watch(KEY, subject("a"))
    bench.meter.clear()
    assert bench.meter.load(KEY) is None


async def test_pods_are_looked_at_now_where_something_happened(bench: Bench) -> None:
    bench.fetch.pods["a"] = exposed(queued_pages=0)
    bench.meter.watch(KEY, subject("a"))
    await passed(1)
    bench.fetch.pods["a"] = exposed(queued_pages=9)
    bench.meter.hurry(OTHER)
    bench.meter.hurry(KEY)
    await passed(0.1)
    assert bench.queued() == 9
