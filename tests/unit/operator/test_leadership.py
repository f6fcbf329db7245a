import asyncio
from dataclasses import dataclass, field

import pytest
from docparser_operator.errors import ConflictError, UnavailableError
from docparser_operator.kinds import LEASE, Manifest, Ref
from docparser_operator.leadership import Elector, LeaseTiming
from support.fake_clock import FakeClock
from support.memory_cluster import MemoryCluster
from support.memory_faults import Fault

REF = Ref(LEASE, "system", "operator")
TIMING = LeaseTiming(duration=10, renew_deadline=7, retry=2)


@dataclass
class Electors:
    """Electors of one Lease, each with a clock of its own that runs like the others."""

    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.cluster = MemoryCluster(self.clock)

    def elector(self, name: str) -> Elector:
        return Elector(self.cluster, REF, name, TIMING, self.clock.monotonic)

    def lease(self) -> Manifest:
        spec: Manifest = self.cluster.objects[REF]["spec"]
        return spec


async def test_the_first_to_look_leads() -> None:
    world = Electors()
    a, b = world.elector("a"), world.elector("b")
    await a.look()
    await b.look()
    assert (a.leads(), b.leads()) == (True, False)
    assert world.lease()["holderIdentity"] == "a"
    assert world.lease()["leaseDurationSeconds"] == 10


async def test_a_leader_that_renews_goes_on_leading() -> None:
    world = Electors()
    a, b = world.elector("a"), world.elector("b")
    for _ in range(30):
        await a.look()
        await b.look()
        world.clock.advance(2)
        assert (a.leads(), b.leads()) == (True, False)
    assert world.lease()["leaseTransitions"] == 0


async def test_a_paused_leader_stops_writing_before_another_takes_over() -> None:
    world = Electors()
    a, b = world.elector("a"), world.elector("b")
    await a.look()
    moments = []
    for _ in range(20):
        await b.look()
        moments.append((world.clock.monotonic(), a.leads(), b.leads()))
        world.clock.advance(1)
    assert not any(first and second for _, first, second in moments)
    end = max(at for at, first, _ in moments if first)
    start = min(at for at, _, second in moments if second)
    assert end < 7
    assert 10 < start <= 13


async def test_a_leader_that_wakes_up_too_late_does_not_lead() -> None:
    world = Electors()
    a, b = world.elector("a"), world.elector("b")
    await a.look()
    await b.look()
    world.clock.advance(11)
    await b.look()
    assert not a.leads()
    await a.look()
    assert (a.leads(), b.leads()) == (False, True)
    assert world.lease()["leaseTransitions"] == 1


async def test_a_renewal_that_was_overtaken_does_not_count() -> None:
    world = Electors()
    a, b = world.elector("a"), world.elector("b")
    await a.look()
    await b.look()
    world.clock.advance(11)
    world.cluster.faults[len(world.cluster.writes) + 1] = Fault.CONFLICT
    await a.look()
    assert not a.leads()
    await b.look()
    assert b.leads()


async def test_a_lost_answer_is_no_renewal() -> None:
    world = Electors()
    a = world.elector("a")
    await a.look()
    world.clock.advance(6)
    world.cluster.faults[len(world.cluster.writes) + 1] = Fault.LOST_ANSWER
    await a.look()
    world.clock.advance(2)
    assert not a.leads()
    await a.look()
    assert a.leads()


async def test_a_slow_renewal_counts_from_when_it_was_asked() -> None:
    world = Electors()
    a = world.elector("a")
    world.cluster.on_change = lambda: world.clock.advance(5)
    await a.look()
    assert a.leads()
    world.clock.advance(2)
    assert not a.leads()


async def test_others_wait_by_their_own_clock_not_by_the_written_time() -> None:
    world = Electors()
    a, b = world.elector("a"), world.elector("b")
    await a.look()
    world.cluster.edit(REF, {"spec": {"renewTime": "2020-01-01T00:00:00.000000Z"}})
    await b.look()
    assert not b.leads()


async def test_a_lease_that_was_given_back_is_free_at_once() -> None:
    world = Electors()
    a, b = world.elector("a"), world.elector("b")
    await a.look()
    await b.look()
    await a._release()
    await b.look()
    assert (a.leads(), b.leads()) == (False, True)


async def forever() -> None:
    await asyncio.Event().wait()


@pytest.mark.looptime
async def test_leading_ends_with_the_lease_and_begins_anew() -> None:
    cluster = MemoryCluster(FakeClock())
    loop = asyncio.get_running_loop()
    a = Elector(cluster, REF, "a", TIMING, loop.time)
    leading: list[bool] = []

    async def lead() -> None:
        leading.append(True)
        try:
            await forever()
        finally:
            leading.append(False)

    task = asyncio.create_task(a.run(lead))
    await asyncio.sleep(5)
    assert leading == [True]
    cluster.refuse = lambda _verb, _ref: ConflictError(409, "taken")
    await asyncio.sleep(20)
    assert leading == [True, False]
    cluster.refuse = lambda _verb, _ref: None
    await asyncio.sleep(20)
    assert leading == [True, False, True]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert leading == [True, False, True, False]
    assert cluster.objects[REF]["spec"]["holderIdentity"] == ""


class HangingCluster(MemoryCluster):
    """An API server that accepts requests and never answers."""

    async def get(self, ref: Ref) -> Manifest:
        await forever()
        raise UnavailableError(str(ref))


@pytest.mark.looptime
async def test_a_silent_server_holds_no_look_for_longer_than_it_is_of_use() -> None:
    a = Elector(HangingCluster(FakeClock()), REF, "a", TIMING, asyncio.get_running_loop().time)
    start = asyncio.get_running_loop().time()
    await a.look()
    assert asyncio.get_running_loop().time() - start == pytest.approx(TIMING.renew_deadline)
    assert not a.leads()


@pytest.mark.looptime
async def test_a_fault_in_leading_ends_the_elector() -> None:
    a = Elector(MemoryCluster(FakeClock()), REF, "a", TIMING, asyncio.get_running_loop().time)

    async def lead() -> None:
        raise RuntimeError("a fault of ours")

    with pytest.raises(RuntimeError, match="a fault of ours"):
        await a.run(lead)
