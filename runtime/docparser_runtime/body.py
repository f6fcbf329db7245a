"""Reads request bodies within limits of size, of pace, and of memory shared by all requests."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from docparser_api.runtime import UPLOAD_TIMEOUT_SECONDS
from starlette.requests import Request

from docparser_runtime.errors import (
    BodyTimeout,
    DocumentTooLarge,
    QueueFull,
    UnsupportedMediaType,
)

STALL_SECONDS: Final = 30
LEAST_BYTES: Final = 8 * 1024
"""So much of a body must come within each `STALL_SECONDS`, unless it ends: connections on which it
drips byte by byte are closed as soon as silent ones. The time of the whole body is bounded too, by
`UPLOAD_TIMEOUT_SECONDS`: what has come of it takes memory that others wait for."""


class ClientGone(Exception):  # noqa: N818 (nobody is there to be told of an error)
    """The client closed the connection before its answer."""


def announced_bytes(request: Request) -> int:
    """Return the bytes that the request's body is said to have; 0 where nothing is said."""
    said = request.headers.get("content-length", "")
    return int(said) if said.isdecimal() else 0


class MemoryBudget:
    """Bytes that all request bodies together may take, until their documents have been read."""

    def __init__(self, limit_bytes: int, retry_after: Callable[[], dict[str, str]]) -> None:
        self.taken_bytes = 0
        self._limit_bytes = limit_bytes
        self._retry_after = retry_after

    @contextmanager
    def lease(self) -> Iterator["Lease"]:
        """Return a context at whose end everything that was taken in it is given back."""
        lease = Lease(self)
        try:
            yield lease
        finally:
            self.taken_bytes -= lease.taken_bytes

    def check(self, size: int) -> None:
        """Return when `size` more bytes fit.

        Raises:
            QueueFull: they do not.
        """
        if self.taken_bytes + size > self._limit_bytes:
            raise QueueFull(
                "The documents that wait take all the memory that is set aside for them; "
                "try again later.",
                headers=self._retry_after(),
            )


class Lease:
    """One request's part of the budget."""

    def __init__(self, budget: MemoryBudget) -> None:
        self.taken_bytes = 0
        self._budget = budget

    def check(self, size: int) -> None:
        """Refuse `size` more bytes when they do not fit."""
        self._budget.check(size)

    def take(self, size: int) -> None:
        """Take `size` bytes, or refuse them."""
        self._budget.check(size)
        self._budget.taken_bytes += size
        self.taken_bytes += size


@dataclass(frozen=True)
class Body:
    """A request body that has not been read yet.

    Attributes:
        advice: end of the sentence that a body which is too large is answered with.
    """

    request: Request
    max_bytes: int
    lease: Lease
    advice: str = "."

    async def read_into(self, sink: Callable[[bytes], object]) -> None:
        """Pass the body to `sink`, chunk by chunk.

        Raises:
            DocumentTooLarge: it is longer than `max_bytes`.
            BodyTimeout: it pauses or drips for too long, or takes too long as a whole.
            QueueFull: the bodies of all requests take too much memory.
            ClientGone: the client left.
        """
        self._check_headers()
        size, fresh, more = 0, 0, True
        clock = asyncio.get_running_loop().time
        end = clock() + UPLOAD_TIMEOUT_SECONDS
        stalled = clock() + STALL_SECONDS
        while more:
            chunk, more = await self._receive(min(stalled, end))
            size, fresh = size + len(chunk), fresh + len(chunk)
            if fresh >= LEAST_BYTES:
                stalled, fresh = clock() + STALL_SECONDS, 0
            self._check_size(size)
            self.lease.take(len(chunk))
            sink(chunk)

    def _check_headers(self) -> None:
        if self.request.headers.get("content-encoding", "identity").lower() != "identity":
            raise UnsupportedMediaType("Send the body without Content-Encoding.")
        announced = announced_bytes(self.request)
        self._check_size(announced)
        self.lease.check(announced)

    def _check_size(self, size: int) -> None:
        if size > self.max_bytes:
            raise DocumentTooLarge(f"The body is larger than {self.max_bytes} bytes{self.advice}")

    async def _receive(self, deadline: float) -> tuple[bytes, bool]:
        try:
            async with asyncio.timeout_at(deadline):
                message = await self.request.receive()
        except TimeoutError:
            raise BodyTimeout(
                f"The body came too slowly: less than {LEAST_BYTES} bytes in {STALL_SECONDS} "
                f"seconds, or not all of it in {UPLOAD_TIMEOUT_SECONDS}."
            ) from None
        if message["type"] == "http.disconnect":
            raise ClientGone
        return message.get("body", b""), message.get("more_body", False)
