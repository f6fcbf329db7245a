import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

import pytest
from docparser_operator.analysis.evidence import Evidence, Totals
from docparser_operator.analysis.promql import Server
from docparser_operator.analysis.scraper import MOST_AT_ONCE, ScrapedPod, Scraper, Subject
from docparser_operator.analysis.window import Side
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics
from unit.operator.analysis.pods import FakeFetch, exposed

pytestmark = pytest.mark.looptime

KEY, OTHER = Key("ns", "a"), Key("ns", "b")
ANSWER = '{"data": {"resultType": "vector", "result": [{"value": [0, "0.5"]}]}}'


def a_pod(address: str, side: Side = "canary", *, born: bool = True) -> ScrapedPod:
    return ScrapedPod(uid=f"uid-{address}", address=address, side=side, born_in_window=born)


def a_subject(*pods: ScrapedPod, window: str = "1", interval_seconds: int = 10) -> Subject:
    return Subject(window, pods, interval_seconds)


@dataclass
class Bench:
    """A running scraper, and the times at which it woke each key."""

    fetch: FakeFetch = field(default_factory=FakeFetch)
    metrics: Metrics = field(default_factory=Metrics)
    woken: list[tuple[Key, float]] = field(default_factory=list)
    prometheus: Server | None = None

    def __post_init__(self) -> None:
        clock: Callable[[], float] = asyncio.get_running_loop().time
        self.scraper = Scraper(
            lambda key: self.woken.append((key, clock())),
            clock,
            self.fetch,
            self.prometheus,
            self.metrics,
        )
        self.task = asyncio.create_task(self.scraper.run())

    def evidence(self, key: Key = KEY) -> Evidence:
        found = self.scraper.evidence(key)
        assert found is not None
        return found

    def scrapes(self, result: str) -> float:
        labels = {"result": result}
        found = self.metrics.registry.get_sample_value("docparser_operator_scrapes_total", labels)
        return found or 0.0

    async def close(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])
        await self.scraper.close()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.close()


async def passed(seconds: float) -> None:
    """Let time pass; the loop's clock jumps."""
    await asyncio.sleep(seconds)


async def test_nothing_is_known_of_what_is_not_watched(bench: Bench) -> None:
    assert bench.scraper.evidence(KEY) is None
    bench.scraper.watch(KEY, None)
    bench.scraper.watch(KEY, a_subject())
    assert bench.scraper.evidence(KEY) is None


async def test_pods_are_looked_at_at_once_and_then_at_the_interval(bench: Bench) -> None:
    bench.fetch.pods = {"c:1": exposed(5, 2), "s:1": exposed(7)}
    bench.scraper.watch(KEY, a_subject(a_pod("c:1"), a_pod("s:1", "stable", born=False)))
    await passed(1)
    assert bench.evidence().canary == Totals(requests=5, server_errors=2)
    assert bench.evidence().stable == Totals()
    bench.fetch.pods = {"c:1": exposed(6, 2), "s:1": exposed(9)}
    await passed(8)
    assert bench.evidence().canary.requests == 5
    await passed(2)
    assert bench.evidence().canary == Totals(requests=6, server_errors=2)
    assert bench.evidence().stable == Totals(requests=2)
    assert bench.evidence().seconds == 11.0
    assert bench.woken == [(KEY, 0.0), (KEY, 10.0)]
    assert bench.scrapes("success") == 4


async def test_a_pod_that_cannot_be_looked_at_is_absent_and_counted(bench: Bench) -> None:
    bench.fetch.pods = {"good": exposed(5), "slow": exposed(5), "odd": "<html>"}
    bench.fetch.seconds = {"slow": 60.0}
    pods = (a_pod(name) for name in ("good", "slow", "odd", "gone"))
    bench.scraper.watch(KEY, a_subject(*pods))
    await passed(4)
    assert bench.evidence().canary == Totals(requests=5)
    for result in ("success", "timeout", "malformed", "unreachable"):
        assert bench.scrapes(result) == 1
    assert bench.woken == [(KEY, 3.0)]


async def test_a_slow_pod_does_not_delay_other_objects(bench: Bench) -> None:
    slow = [f"slow{number}" for number in range(3 * MOST_AT_ONCE)]
    bench.fetch.pods = dict.fromkeys([*slow, "quick"], exposed(1))
    bench.fetch.seconds = dict.fromkeys(slow, 60.0)
    bench.scraper.watch(KEY, a_subject(*map(a_pod, slow), interval_seconds=1))
    bench.scraper.watch(OTHER, a_subject(a_pod("quick"), interval_seconds=1))
    await passed(8.5)
    assert [at for key, at in bench.woken if key == OTHER] == [float(n) for n in range(9)]
    # A look that takes longer than the interval is followed by the next one at once.
    assert [at for key, at in bench.woken if key == KEY] == []
    await passed(1)
    assert [at for key, at in bench.woken if key == KEY] == [9.0]


async def test_so_many_pods_are_asked_at_once_and_not_more(bench: Bench) -> None:
    names = [str(number) for number in range(100)]
    bench.fetch.pods = dict.fromkeys(names, exposed(1))
    bench.fetch.seconds = dict.fromkeys(names, 0.1)
    bench.scraper.watch(KEY, a_subject(*map(a_pod, names)))
    await passed(5)
    assert bench.evidence().canary.requests == 100
    assert bench.fetch.most == MOST_AT_ONCE


async def test_another_window_starts_from_nothing(bench: Bench) -> None:
    bench.fetch.pods = {"c:1": exposed(5)}
    bench.scraper.watch(KEY, a_subject(a_pod("c:1")))
    await passed(1)
    bench.scraper.watch(KEY, a_subject(a_pod("c:1", born=False), window="2"))
    assert bench.scraper.evidence(KEY) is None
    await passed(1)
    assert bench.evidence().canary == Totals()
    assert bench.evidence().seconds == 1.0


async def test_what_was_asked_before_a_new_window_does_not_count(bench: Bench) -> None:
    bench.fetch.pods = {"c:1": exposed(5)}
    bench.fetch.seconds = {"c:1": 2.0}
    bench.scraper.watch(KEY, a_subject(a_pod("c:1")))
    await passed(1)
    bench.scraper.watch(KEY, a_subject(window="2"))
    await passed(5)
    assert bench.evidence() == Evidence(seconds=5.0)
    assert bench.woken == [(KEY, 1.0)]


async def test_other_pods_of_the_same_window_go_on_with_it(bench: Bench) -> None:
    bench.fetch.pods = {"c:1": exposed(5), "c:2": exposed(3)}
    bench.scraper.watch(KEY, a_subject(a_pod("c:1"), interval_seconds=100))
    await passed(1)
    bench.scraper.watch(KEY, a_subject(a_pod("c:2"), interval_seconds=5))
    await passed(6)
    assert bench.evidence().canary == Totals(requests=8)


async def test_an_object_that_is_let_go_is_forgotten(bench: Bench) -> None:
    bench.fetch.pods = {"c:1": exposed(5)}
    subject = a_subject(a_pod("c:1"))
    bench.scraper.watch(KEY, subject)
    await passed(1)
    bench.scraper.watch(KEY, None)
    await passed(100)
    assert bench.scraper.evidence(KEY) is None
    assert bench.woken == [(KEY, 0.0)]
    bench.scraper.watch(KEY, replace(subject, pods=()))
    await passed(1)
    assert bench.evidence() == Evidence(seconds=1.0)


async def test_a_scraper_that_was_stopped_goes_on_where_it_was(bench: Bench) -> None:
    bench.fetch.pods = {"c:1": exposed(5)}
    bench.fetch.seconds = {"c:1": 2.0}
    bench.scraper.watch(KEY, a_subject(a_pod("c:1")))
    await passed(1)
    bench.task.cancel()
    await asyncio.wait([bench.task])
    bench.task = asyncio.create_task(bench.scraper.run())
    await passed(12)
    assert bench.evidence().canary.requests == 5


async def test_a_fault_of_one_object_does_not_stop_the_others(bench: Bench) -> None:
    bench.fetch.pods = {"c:1": exposed(5)}
    bench.fetch.broken = {"bad"}
    bench.scraper.watch(KEY, a_subject(a_pod("bad")))
    bench.scraper.watch(OTHER, a_subject(a_pod("c:1")))
    await passed(15)
    assert bench.evidence(OTHER).canary.requests == 5
    assert not bench.task.done()


async def test_queries_go_to_the_server_of_the_object_without_a_token() -> None:
    bench = Bench(prometheus=Server("http://default"))
    bench.fetch.pods = {"own:9/api/v1/query?query=up": ANSWER}
    subject = replace(
        a_subject(), prometheus_address="http://own:9", queries=(("q", "up"), ("r", "down"))
    )
    bench.scraper.watch(KEY, subject)
    await passed(1)
    assert bench.evidence().queries == {"q": 0.5, "r": None}
    assert {token for _url, token in bench.fetch.tokens} == {None}
    await bench.close()
    assert bench.fetch.closed


async def test_queries_go_to_the_default_server_or_to_none(bench: Bench) -> None:
    subject = replace(a_subject(), queries=(("q", "up"),))
    bench.scraper.watch(KEY, subject)
    await passed(1)
    assert bench.evidence().queries == {"q": None}
    assert bench.fetch.tokens == []
    other = Bench(prometheus=Server("http://default"))
    other.fetch.pods = {"default/api/v1/query?query=up": ANSWER}
    other.scraper.watch(KEY, subject)
    await passed(1)
    assert other.evidence().queries == {"q": 0.5}
    await other.close()
