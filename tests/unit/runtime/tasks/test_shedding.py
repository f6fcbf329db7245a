"""The fuller the queue, the less closely pages of low priority are looked at."""

from pathlib import Path

import pytest
from docparser_api.runtime import SheddingConfig, TasksConfig
from docparser_runtime.engine.tiers import ALL_TIERS, Tier, highest
from docparser_runtime.queue.values import Backlog
from docparser_runtime.task_metrics import TaskMetrics
from docparser_runtime.tasks.shedding import Shedding, limit
from prometheus_client import CollectorRegistry
from unit.runtime.doubles import ScriptedEngine, Service, StartService, eventually
from unit.runtime.http.test_tiers import tiered
from unit.runtime.tasks.conftest import ended, submit

RISING = [(0, "high"), (49, "high"), (50, "medium"), (79, "medium"), (80, "low"), (100, "low")]
FALLING = [(100, "low"), (70, "low"), (69, "medium"), (40, "medium"), (39, "high"), (0, "high")]


@pytest.mark.parametrize("way", [RISING, FALLING])
def test_tiers_rise_later_than_they_fall(way: list[tuple[int, str]]) -> None:
    tier = Tier.HIGH
    found = []
    for fill, _ in way:
        tier = limit(fill, tier, SheddingConfig())
        found.append((fill, tier.value))
    assert found == way


def test_a_queue_that_is_suddenly_empty_is_not_under_pressure() -> None:
    assert limit(0, Tier.LOW, SheddingConfig()) is Tier.HIGH


@pytest.mark.parametrize("before", list(Tier))
def test_what_is_never_lowered(before: Tier) -> None:
    never = SheddingConfig(medium_from_percent=0, low_from_percent=0)
    assert limit(100, before, never) is Tier.HIGH
    assert limit(100, before, SheddingConfig(low_from_percent=0)) is Tier.MEDIUM


def test_pages_that_run_fill_the_queue_too() -> None:
    registry = CollectorRegistry()
    shedding = Shedding(TasksConfig(max_queued_pages=100), TaskMetrics(registry))
    shedding.note([Backlog("stable", 1, 30, 1, 30, 0), Backlog("canary", 1, 10, 1, 10, 0)])
    assert shedding.at_most() is Tier.LOW
    assert registry.get_sample_value("docparser_shedding_level") == 2
    shedding.note([])
    assert registry.get_sample_value("docparser_shedding_level") == 0


def test_an_engine_without_a_tier_gets_the_next_lower_one_or_its_least() -> None:
    assert highest(ALL_TIERS, Tier.MEDIUM) is Tier.MEDIUM
    assert highest({Tier.LOW, Tier.HIGH}, Tier.MEDIUM) is Tier.LOW
    assert highest({Tier.MEDIUM, Tier.HIGH}, Tier.LOW) is Tier.MEDIUM


async def is_lowered(service: Service) -> bool:
    return await service.metric("docparser_shedding_level") == 2


async def test_only_pages_of_low_priority_are_lowered_and_only_without_a_choice(
    start: StartService, engine: ScriptedEngine, tmp_path: Path
) -> None:
    engine.tiers, engine.read = ALL_TIERS, tiered
    limits = {"maxQueuedPages": 4, "leaseSeconds": 2, "shedding": {"lowFromPercent": 25}}
    service = await start(directory=tmp_path, max_concurrency=1, tasks=limits)
    service.engine.hold()
    tasks = [
        await submit(service, priority="normal"),
        await submit(service, priority="low"),
        await submit(service, priority="low", tier="medium"),
    ]
    await eventually(lambda: is_lowered(service))
    service.engine.release()
    pages = []
    for task in tasks:
        await ended(service, task)
        answer = await service.client.get(f"/v1/document/tasks/{task['id']}/result")
        pages += [(page["tier"], page["lowered"]) for page in answer.json()["pages"]]
    assert pages == [("high", False), ("low", True), ("medium", False)]
    assert await service.metric("docparser_tier_pages_total") == 3
