"""Hears from pods that more pages wait, on a clock that jumps."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from docparser_api.autoscaling import ScalingReason
from docparser_operator.analysis.fetch import FetchError
from docparser_operator.autoscaling.subject import Load, ScalingSubject
from docparser_operator.autoscaling.values import Demand, Rules, State, Supply
from docparser_operator.kinds import Key
from docparser_operator.listener import (
    FAILED_SECONDS,
    PAUSE_SECONDS,
    UNABLE_SECONDS,
    WAIT_SECONDS,
    Listener,
)

pytestmark = pytest.mark.looptime

KEY = Key("ns", "a")
BEGUN = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def subject(*addresses: str, is_shared: bool = True) -> ScalingSubject:
    pods = tuple((f"uid-{address}", address) for address in addresses)
    rules = Rules(0, 5)
    reason = ScalingReason.IDLE
    return ScalingSubject(rules, pods, is_shared, Supply(0), BEGUN, State(0), reason)


@dataclass
class Gateways:
    """Gateways of one queue, which keep a question until more waits than it says.

    Attributes:
        waiting: pages that wait.
        asked: addresses, and above how many pages each was to tell.
        failing: what those at an address answer instead.
        text: what all answer instead of a count.
        open: questions that wait for their answer.
    """

    waiting: int = 0
    asked: list[tuple[str, int]] = field(default_factory=list)
    failing: dict[str, FetchError] = field(default_factory=dict)
    text: str | None = None
    open: int = 0

    def __post_init__(self) -> None:
        self.changed = asyncio.Condition()

    async def text_of(self, above: int, wait_seconds: float) -> str:
        async with self.changed:
            try:
                async with asyncio.timeout(wait_seconds):
                    await self.changed.wait_for(lambda: self.waiting > above)
            except TimeoutError:
                pass
        return json.dumps({"queued_pages": self.waiting})

    async def become(self, waiting: int) -> None:
        async with self.changed:
            self.waiting = waiting
            self.changed.notify_all()

    async def answer(self, url: str, timeout_seconds: float) -> str:
        parts, query = urlsplit(url), parse_qs(urlsplit(url).query)
        assert parts.path == "/queuez"
        wait = float(query["wait"][0])
        assert wait < timeout_seconds
        self.asked.append((parts.netloc, int(query["above"][0])))
        if parts.netloc in self.failing:
            raise self.failing[parts.netloc]
        return self.text or await self.text_of(self.asked[-1][1], wait)


@dataclass
class Asking:
    """A `Fetch` that asks the gateways."""

    gateways: Gateways

    async def text(self, url: str, timeout_seconds: float, token: str | None = None) -> str:
        assert token is None
        self.gateways.open += 1
        try:
            return await self.gateways.answer(url, timeout_seconds)
        finally:
            self.gateways.open -= 1

    async def close(self) -> None:
        """Nothing is to be closed."""


@dataclass
class Bench:
    """A running listener.

    Attributes:
        news: when it said that there was news, in seconds from the start.
        known: pages that the meter knows of; None before it has looked.
    """

    gateways: Gateways = field(default_factory=Gateways)
    news: list[float] = field(default_factory=list)
    known: float | None = None

    def __post_init__(self) -> None:
        self.clock = asyncio.get_running_loop().time
        self.listener = Listener(
            lambda _key: self.load(), self.hear, self.clock, Asking(self.gateways)
        )
        self.task = asyncio.create_task(self.listener.run())

    def load(self) -> Load | None:
        return None if self.known is None else Load(Demand(self.known, 0, 0, 0, BEGUN))

    def hear(self, key: Key) -> None:
        assert key == KEY
        self.news.append(round(self.clock(), 3))
        self.known = self.gateways.waiting

    async def until(self, seconds: float) -> None:
        """Let time pass until so long after the start."""
        await asyncio.sleep(seconds - self.clock())


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    made.task.cancel()
    await asyncio.wait([made.task])
    assert made.gateways.open == 0


async def test_a_page_that_comes_is_heard_of_at_once(bench: Bench) -> None:
    bench.listener.watch(KEY, subject("g1:80"))
    await bench.until(7)
    await bench.gateways.become(1)
    await bench.until(8)
    assert bench.news == [7.0]


async def test_what_waits_is_no_news_but_more_is(bench: Bench) -> None:
    bench.known = 100
    await bench.gateways.become(120)
    bench.listener.watch(KEY, subject("g1:80"))
    await bench.until(60)
    assert bench.news == []
    await bench.gateways.become(126)
    await bench.until(61)
    assert bench.news == [60.0]
    assert bench.gateways.asked[0] == ("g1:80", 125)


async def test_a_flood_of_pages_is_told_once_a_second(bench: Bench) -> None:
    bench.listener.watch(KEY, subject("g1:80"))
    for tenth in range(30):
        await bench.until(tenth / 10)
        await bench.gateways.become(2 ** (tenth + 1))
    pauses = [b - a for a, b in zip(bench.news, bench.news[1:], strict=False)]
    assert len(bench.news) == 3
    assert min(pauses) >= PAUSE_SECONDS


async def test_without_news_the_question_is_asked_again(bench: Bench) -> None:
    bench.listener.watch(KEY, subject("g1:80"))
    await bench.until(2.5 * WAIT_SECONDS)
    assert bench.gateways.asked == [("g1:80", 0)] * 3
    assert bench.news == []


@pytest.mark.parametrize(
    ("result", "pause"), [("unreachable", FAILED_SECONDS), ("status", UNABLE_SECONDS)]
)
async def test_another_pod_is_asked_after_a_pause(bench: Bench, result: str, pause: float) -> None:
    bench.gateways.failing = {"g1:80": FetchError(result, "no")}
    bench.listener.watch(KEY, subject("g1:80", "g2:80"))
    await bench.until(pause - 0.1)
    assert bench.gateways.asked == [("g1:80", 0)]
    await bench.until(pause + 0.1)
    assert bench.gateways.asked[1:] == [("g2:80", 0)]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"queued_pages": null}', "<html>"])
async def test_an_answer_that_is_no_count_is_no_news(bench: Bench, text: str) -> None:
    bench.gateways.text = text
    bench.listener.watch(KEY, subject("g1:80"))
    await bench.until(FAILED_SECONDS - 0.1)
    assert (len(bench.gateways.asked), bench.news) == (1, [])


async def test_pods_with_a_queue_of_their_own_are_not_asked(bench: Bench) -> None:
    bench.listener.watch(KEY, subject("g1:80", is_shared=False))
    bench.listener.watch(KEY, subject())
    await bench.until(5)
    assert bench.gateways.asked == []


async def test_news_of_what_is_not_watched_any_more_are_not_told(bench: Bench) -> None:
    bench.listener.watch(KEY, subject("g1:80"))
    await bench.until(1)
    bench.listener.watch(KEY, None)
    await bench.gateways.become(5)
    await bench.until(2 * WAIT_SECONDS)
    assert bench.news == []
    assert len(bench.gateways.asked) == 1
