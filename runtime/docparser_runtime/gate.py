"""The place where requests wait: a concurrency limit with a bounded first-in-first-out queue."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable

from docparser_runtime.errors import QueueFull, QueueTimeout

_SMOOTHING = 0.2
"""Weight of the latest service time in the running mean."""
_LONGEST_RETRY_SECONDS = 300


class Place:
    """The right to work. Whoever holds it must release it, once the work has truly ended."""

    def __init__(self, gate: "Gate", since: float) -> None:
        self._gate: Gate | None = gate
        self._since = since

    def release(self) -> None:
        """Give the place to the next in the queue. Calls after the first do nothing."""
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.leave(self._since)

    def give_back(self) -> None:
        """Give the place back unused: its time says nothing of the time that documents take."""
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.pass_on()


class Gate:
    """Lets `max_concurrency` in, lets `max_queue` wait, and refuses the rest.

    Attributes:
        running: places that are held.
        waiting: requests in the queue.
    """

    def __init__(
        self,
        max_concurrency: int,
        max_queue: int,
        queue_timeout_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.running = 0
        self._max_concurrency = max_concurrency
        self._max_queue = max_queue
        self._queue_timeout_seconds = queue_timeout_seconds
        self._clock = clock
        self._turns: deque[asyncio.Future[None]] = deque()
        self._patient = 0
        self._mean_seconds: float | None = None

    @property
    def waiting(self) -> int:
        """Number of requests in the queue."""
        return len(self._turns) - self._patient

    def refuse_if_full(self) -> None:
        """Return when a request that came now would run or wait.

        Raises:
            QueueFull: it would not.
        """
        if self._is_busy() and self.waiting >= self._max_queue:
            raise QueueFull(
                f"All {self._max_concurrency} places are taken and {self.waiting} documents wait; "
                "try again later.",
                headers=self.retry_after(),
            )

    async def enter(self) -> Place:
        """Return a place as soon as it is this caller's turn.

        Raises:
            QueueFull: the queue has no room.
            QueueTimeout: the wait took longer than the queue timeout.
        """
        self.refuse_if_full()
        if self._is_busy():
            await self._wait(self._queue_timeout_seconds)
        else:
            self.running += 1
        return Place(self, self._clock())

    async def enter_patiently(self) -> Place:
        """Return a place when it is this caller's turn, however long that takes.

        For work that waits elsewhere already: it counts as nobody's wait here.
        """
        if self._is_busy():
            self._patient += 1
            try:
                await self._wait(None)
            finally:
                self._patient -= 1
        else:
            self.running += 1
        return Place(self, self._clock())

    def leave(self, since: float) -> None:
        """Take back a place that was held since `since`. Only `Place` calls this."""
        taken = self._clock() - since
        mean = taken if self._mean_seconds is None else self._mean_seconds
        self._mean_seconds = mean + _SMOOTHING * (taken - mean)
        self.pass_on()

    def retry_after(self) -> dict[str, str]:
        """Return the header that tells when the present queue will have been served."""
        mean = self._mean_seconds if self._mean_seconds is not None else 1.0
        seconds = math.ceil(mean * (self.waiting + 1) / self._max_concurrency)
        return {"Retry-After": str(min(max(seconds, 1), _LONGEST_RETRY_SECONDS))}

    def _is_busy(self) -> bool:
        return self.running >= self._max_concurrency or bool(self._turns)

    async def _wait(self, seconds: float | None) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        try:
            async with asyncio.timeout(seconds):
                await turn
        except TimeoutError:
            if _granted(turn):  # in the same instant; the place is ours
                return
            raise QueueTimeout(
                f"No place became free within {seconds} seconds.",
                headers=self.retry_after(),
            ) from None
        except asyncio.CancelledError:
            if _granted(turn):
                self.pass_on()
            raise
        finally:
            if turn in self._turns:
                self._turns.remove(turn)

    def pass_on(self) -> None:
        """Let the next one in. Only `Place` and waits that were given up call this."""
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.running -= 1


def _granted(turn: asyncio.Future[None]) -> bool:
    return turn.done() and not turn.cancelled()
