"""A crash, a lost answer or a refusal at any write changes nothing of what comes out."""

from collections import Counter
from dataclasses import dataclass
from functools import cache

import pytest
from _pytest.mark import ParameterSet
from convergence.canaries import CANARIES
from convergence.digest import differences, digest, removals
from convergence.isolation import ISOLATION
from convergence.modes import MODES
from convergence.scenarios import PLAIN, Watchman
from convergence.topologies import TOPOLOGIES
from docparser_operator.kinds import EVENT, Manifest
from support.memory_faults import Fault, Write
from support.world import World

SCENARIOS = PLAIN | CANARIES | TOPOLOGIES | MODES | ISOLATION
QUICK_CANARIES = (
    "canary",
    "canary that fails too often",
    "canary aborted by hand",
    "revert in a canary",
    "delete in a canary",
    "into a queue",
    "out of a queue",
)
"""Those with steps or a queue that are tried each time; the marker `thorough` has the rest."""
_LONG = {"third spec in place"}
"""Others with so many writes that they are `thorough`, too."""
_QUICK_FAULTS = {Fault.CRASH_AFTER}
"""Faults that are tried each time; the marker `thorough` has the rest."""
EXTRA_WRITES = 2
"""Writes that change something, beyond those of the undisturbed run, per fault."""


@dataclass(frozen=True)
class Run:
    """What a scenario comes to without a fault; writes are those of the scenario only."""

    first: int
    writes: list[Write]
    end: Manifest
    removed: Counter[str]


@cache
def _beginning(name: str) -> World:
    return SCENARIOS[name].begin()


def begin(name: str) -> World:
    """Return a world in which the scenario is about to happen."""
    return _beginning(name).copy()


@cache
def undisturbed(name: str) -> Run:
    scenario = SCENARIOS[name]
    world = begin(name)
    first, changes = len(world.cluster.writes), len(world.cluster.changes)
    watchman = Watchman(world, scenario)
    scenario.play(world)
    assert not watchman.complaints
    removed = removals(world.cluster, changes)
    return Run(first, world.cluster.writes[first:], digest(world.cluster), removed)


def scenarios() -> list[ParameterSet]:
    """Return each scenario; those that are not tried each time are `thorough`."""
    return [_trial(name, quick=_is_quick(name)) for name in SCENARIOS]


def faults() -> list[ParameterSet]:
    """Return each scenario with each fault."""
    return [
        _trial(name, fault, quick=fault in _QUICK_FAULTS and _is_quick(name))
        for name in SCENARIOS
        for fault in Fault
    ]


def _trial(name: str, *fault: Fault, quick: bool) -> ParameterSet:
    marks = () if quick else pytest.mark.thorough
    return pytest.param(name, *fault, id="-".join([name, *(f.value for f in fault)]), marks=marks)


def _is_quick(name: str) -> bool:
    return (name in PLAIN | MODES | ISOLATION and name not in _LONG) or name in QUICK_CANARIES


def places(name: str, fault: Fault) -> list[int]:
    """Return the writes at which `fault` is worth trying, counted from 1.

    A crash before a write is one after the write before it, except for the first. Of the Events,
    which nothing depends on, one is enough. A refusal is met in the same way wherever it comes
    from, so one for each kind of write is enough.
    """
    if fault is Fault.CRASH_BEFORE:
        return [1]
    writes = list(enumerate(undisturbed(name).writes, 1))
    if fault in {Fault.CONFLICT, Fault.UNAVAILABLE}:
        return list({(write.verb, write.ref): n for n, write in writes}.values())
    events = [n for n, write in writes if write.ref.kind == EVENT]
    return [n for n, _ in writes if n not in events[1:]]


def changing(writes: list[Write]) -> int:
    """Return how many writes changed something; Events of the same second count as one anyway."""
    return sum(write.changed for write in writes if write.ref.kind != EVENT)


@pytest.mark.parametrize(("name", "fault"), faults())
def test_a_fault_at_any_write_leads_to_the_same_end(name: str, fault: Fault) -> None:
    scenario, wanted = SCENARIOS[name], undisturbed(name)
    for number in places(name, fault) if wanted.writes else []:
        world = begin(name)
        changes = len(world.cluster.changes)
        watchman = Watchman(world, scenario)
        world.cluster.faults[wanted.first + number] = fault
        scenario.play(world)
        writes = world.cluster.writes[wanted.first :]
        where = f"{fault.value} at write {number}: {writes[number - 1]}"
        assert not world.cluster.faults, where
        assert not watchman.complaints, where
        assert not differences(digest(world.cluster), wanted.end), where
        assert removals(world.cluster, changes) == wanted.removed, where
        assert changing(writes) <= changing(wanted.writes) + EXTRA_WRITES, where


@pytest.mark.parametrize("name", scenarios())
def test_a_second_pass_writes_nothing(name: str) -> None:
    world = begin(name)
    SCENARIOS[name].play(world)
    written = len(world.cluster.writes)
    world.queue |= dict.fromkeys(world.store.resources())
    world.settle()
    assert world.cluster.writes[written:] == []


@pytest.mark.parametrize("name", scenarios())
def test_a_restart_at_rest_changes_nothing(name: str) -> None:
    world = begin(name)
    SCENARIOS[name].play(world)
    written = len(world.cluster.writes)
    world.start_operator()
    world.settle(100)
    assert [write for write in world.cluster.writes[written:] if write.changed] == []
