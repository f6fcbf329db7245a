"""One attempt, over real connections."""

import json
from datetime import timedelta, timezone

import pytest
from docparser_runtime.callbacks.sending import CallbackSender, DeliveryFailed, body_of
from docparser_runtime.outbound.policy import Policy
from docparser_runtime.outbound.requests import Outbound
from docparser_runtime.queue.values import State
from support.web_receiver import Receiver, answered
from unit.runtime.callbacks.model import DUE, a_due
from unit.runtime.outbound.conftest import Names, outbound, receiver, trusting_nobody

__all__ = ["outbound", "receiver"]

SECRETS = [b"0123456789abcdef"]


@pytest.fixture
def names() -> Names:
    return Names({"receiver.test": [["127.0.0.1"]]})


@pytest.fixture
def sender(outbound: Outbound) -> CallbackSender:
    return CallbackSender(outbound, SECRETS, lambda: 1767268800.9)


def url(receiver: Receiver) -> str:
    return f"http://receiver.test:{receiver.port}/docparser?token=canary"


async def test_a_callback_arrives_signed(sender: CallbackSender, receiver: Receiver) -> None:
    body = body_of(DUE)
    await sender.deliver(url(receiver), body, DUE.delivery_id)
    (request,) = receiver.requests
    assert (request.method, request.path) == ("POST", "/docparser?token=canary")
    assert request.body == body
    assert request.headers["content-type"] == "application/json"
    assert request.headers["x-docparser-timestamp"] == "1767268800"
    assert request.headers["x-docparser-delivery"] == f"{DUE.job_id}-1767268799000"
    assert request.headers["x-docparser-signature"].startswith("v1=")


@pytest.mark.parametrize("status", [200, 201, 202, 204])
async def test_success(sender: CallbackSender, receiver: Receiver, status: int) -> None:
    receiver.answer = lambda _: answered(status)
    await sender.deliver(url(receiver), b"{}", "any")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (answered(400), "status 400"),
        (answered(410), "status 410"),
        (answered(500), "status 500"),
        (answered(304), "status 304"),
        (answered(302, "Location: http://127.0.0.1/"), "url_not_allowed"),
        (b"nonsense\r\n\r\n", "url_unreachable"),
    ],
)
async def test_failure(
    sender: CallbackSender, receiver: Receiver, answer: bytes, reason: str
) -> None:
    receiver.answer = lambda _: answer
    with pytest.raises(DeliveryFailed, match=reason) as failure:
        await sender.deliver(url(receiver), b"{}", "any")
    assert "canary" not in str(failure.value)
    assert receiver.connections == 1


async def test_what_the_policy_forbids_is_not_connected_to(receiver: Receiver) -> None:
    forbidden = Outbound(Policy(), Names(), trusting_nobody())
    with pytest.raises(DeliveryFailed, match="url_not_allowed"):
        await CallbackSender(forbidden, SECRETS).deliver(url(receiver), b"{}", "any")
    assert receiver.connections == 0


@pytest.mark.parametrize(
    ("state", "code", "status"),
    [
        (State.DONE, None, "done"),
        (State.FAILED, "document_corrupt", "failed"),
        (State.DEAD, "poison", "failed"),
        (State.CANCELLED, None, "cancelled"),
    ],
)
def test_bodies(state: State, code: str | None, status: str) -> None:
    east = DUE.finished_at.astimezone(timezone(timedelta(hours=5)))
    body = body_of(a_due(state=state, failure_code=code, finished_at=east))
    assert json.loads(body) == {
        "task_id": DUE.job_id,
        "status": status,
        "finished_at": "2026-01-01T11:59:59Z",
        "error_code": code,
    }
