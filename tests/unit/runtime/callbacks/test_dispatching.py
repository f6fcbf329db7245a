"""What becomes of callbacks that are due."""

import asyncio
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from docparser_runtime import logs
from docparser_runtime.callbacks.dispatching import Books, Dispatcher
from docparser_runtime.callbacks.schedule import Schedule
from docparser_runtime.callbacks.sending import CallbackSender
from docparser_runtime.outbound.errors import UrlUnreachable
from docparser_runtime.task_errors import QueueUnavailable
from docparser_runtime.task_metrics import TaskMetrics
from prometheus_client import CollectorRegistry
from unit.runtime.callbacks.model import DUE, MemoryOutbox, a_due
from unit.runtime.doubles import eventually


@dataclass
class Receivers:
    """Answers by address: with a status, or by raising what is there."""

    answers: dict[str, int | Exception] = field(default_factory=dict)
    posts: list[tuple[str, bytes, Mapping[str, str]]] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def post(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        timeout_seconds: float,  # noqa: ARG002
    ) -> int:
        self.posts.append((url, body, headers))
        if url in self.held:
            await self.gate.wait()
        answer = self.answers.get(url, 200)
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Office:
    """A dispatcher and what is around it."""

    outbox: MemoryOutbox
    receivers: Receivers
    stream: io.StringIO
    dispatcher: Dispatcher
    registry: CollectorRegistry

    def attempts(self, outcome: str) -> float | None:
        labels = {"outcome": outcome}
        return self.registry.get_sample_value("docparser_callbacks_total", labels)

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def office() -> Office:
    outbox, receivers, stream = MemoryOutbox(), Receivers(), io.StringIO()
    sender = CallbackSender(receivers, [b"0123456789abcdef"])
    log = logs.create(stream, "info")
    registry = CollectorRegistry()
    attempts = TaskMetrics(registry).callbacks
    dispatcher = Dispatcher(
        outbox, sender, Books(log, attempts), Schedule(), lambda: 0.0, pause_seconds=0.01
    )
    return Office(outbox, receivers, stream, dispatcher, registry)


async def test_what_was_taken_is_delivered(office: Office) -> None:
    await office.outbox.add("job", "https://a.test/")
    assert await office.dispatcher.turn() == 1
    assert office.outbox.told == [("job", None)]
    assert json.loads(office.receivers.posts[0][1])["task_id"] == "job"
    assert office.events()[0]["event"] == "callback_delivered"
    assert office.attempts("delivered") == 1


@pytest.mark.parametrize("answer", [503, 301, UrlUnreachable("any"), ValueError("any")])
async def test_what_failed_is_tried_again_later(office: Office, answer: int | Exception) -> None:
    office.receivers.answers[DUE.url] = answer
    office.outbox.waiting = [a_due(attempts=2)]
    await office.dispatcher.turn()
    assert office.outbox.told == [(DUE.job_id, 20.0)]
    assert office.attempts("failed") == 1
    assert "canary" not in office.stream.getvalue()


async def test_what_failed_for_a_day_is_given_up(office: Office) -> None:
    office.receivers.answers[DUE.url] = 503
    office.outbox.waiting = [a_due(attempts=30, elapsed_seconds=86_400)]
    await office.dispatcher.turn()
    assert office.outbox.told == [(DUE.job_id, -1)]
    assert (office.attempts("given_up"), office.attempts("failed")) == (1, None)
    event = office.events()[-1]
    assert (event["event"], event["level"], event["reason"]) == (
        "callback_given_up",
        "error",
        "status 503",
    )


async def test_each_attempt_has_the_same_delivery(office: Office) -> None:
    office.receivers.answers[DUE.url] = 503
    for attempts in (1, 2):
        office.outbox.waiting = [a_due(attempts=attempts)]
        await office.dispatcher.turn()
    first, second = (headers["X-DocParser-Delivery"] for _, _, headers in office.receivers.posts)
    assert first == second == DUE.delivery_id


async def test_a_slow_receiver_does_not_keep_the_others_waiting(office: Office) -> None:
    office.receivers.held = {"https://slow.test/"}
    for job, url in (("slow", "https://slow.test/"), ("quick", "https://quick.test/")):
        await office.outbox.add(job, url)
    turn = asyncio.create_task(office.dispatcher.turn())
    await eventually(lambda: len(office.receivers.posts) == 2)
    office.receivers.gate.set()
    assert await turn == 2
    assert sorted(job for job, _ in office.outbox.told) == ["quick", "slow"]


async def test_an_outbox_that_does_not_answer_is_asked_again(office: Office) -> None:
    office.outbox.failures = [QueueUnavailable("any")]
    for number in range(20):
        await office.outbox.add(f"job{number}", "https://a.test/")
    running = asyncio.create_task(office.dispatcher.run())
    await eventually(lambda: len(office.outbox.told) == 20)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert office.events()[0]["event"] == "callbacks_wait"
