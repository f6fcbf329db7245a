"""A receiver on loopback, and ways to it that are allowed or not."""

import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest
from docparser_runtime.outbound.policy import Policy, policy_of
from docparser_runtime.outbound.requests import Outbound
from support.web_receiver import Receiver


@dataclass
class Names:
    """A resolver: returns what it is told, one answer after the other for the same name.

    Attributes:
        asked: names that were looked up.
    """

    known: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str, _: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.known.get(host)
        if not answers:
            raise OSError("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver().running() as running:
        yield running


@pytest.fixture
def names() -> Names:
    return Names({"receiver.test": [["127.0.0.1"]]})


def trusting_nobody() -> ssl.SSLContext:
    """Return what no certificate pleases, faster than it is to read those of the system."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def loopback(receiver: Receiver) -> Policy:
    """Return a policy that allows the receiver and nothing else."""
    return policy_of((), ["127.0.0.1/32"], [receiver.port])


@pytest.fixture
def outbound(receiver: Receiver, names: Names) -> Outbound:
    return Outbound(loopback(receiver), names, trusting_nobody())
