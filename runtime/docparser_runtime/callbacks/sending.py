"""One attempt to deliver one callback."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from http import HTTPStatus
from typing import Final, Protocol

from docparser_runtime.callbacks import signing
from docparser_runtime.callbacks.base import Due
from docparser_runtime.outbound.errors import UrlNotAllowed, UrlUnreachable
from docparser_runtime.queue.values import State

TIMEOUT_SECONDS: Final = 10.0
"""Longest time of an attempt, look-up of the name included."""


class Posting(Protocol):
    """What sends requests. `Outbound` is one."""

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], timeout_seconds: float
    ) -> int:
        """Send `body` and return the status of the answer.

        Raises:
            UrlNotAllowed: that address must not be reached.
            UrlUnreachable: there is no answer.
        """
        ...


class DeliveryFailed(Exception):  # noqa: N818 (an error only once patience ends)
    """The receiver has not taken the callback; the message says why, without its address."""


def body_of(due: Due) -> bytes:
    """Return what a receiver is told: how the task ended, and nothing of its document."""
    told = {
        "task_id": due.job_id,
        "status": State.FAILED.value if due.state is State.DEAD else due.state.value,
        "finished_at": due.finished_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "error_code": due.failure_code,
    }
    return json.dumps(told).encode()


class CallbackSender:
    """Sends signed callbacks."""

    def __init__(
        self,
        outbound: Posting,
        secrets: Sequence[bytes],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._outbound = outbound
        self._secrets = secrets
        self._clock = clock

    async def deliver(self, url: str, body: bytes, delivery_id: str) -> None:
        """Return when the receiver has answered with a status of success.

        Raises:
            DeliveryFailed: it has not.
        """
        headers = signing.headers(self._secrets, int(self._clock()), body, delivery_id)
        try:
            status = await self._outbound.post(url, body, headers, TIMEOUT_SECONDS)
        except (UrlNotAllowed, UrlUnreachable) as error:
            raise DeliveryFailed(f"{error.code}: {error.detail}") from None
        if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            raise DeliveryFailed(f"status {status}")
