"""Follows one text from the first token to the last, for the thread that waits for it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty
from typing import Final

from docparser_runtime.engine.base import Generation
from docparser_runtime.engine.generation.answers import PageAnswer
from docparser_runtime.engine.generation.stopping import Stop
from docparser_runtime.engine.gpu.jobs import Ended, Event, Failed, Job, Written
from docparser_runtime.engine.gpu.loop import Loop
from docparser_runtime.engine.gpu.reading import PageReading
from docparser_runtime.engine.listening import Listener, Unwanted

_LONGEST_PAUSE_SECONDS: Final = 0.05
"""So soon it is noticed that nobody waits any more, however long a token takes."""


class MemoryShort(RuntimeError):  # noqa: N818 (what is missing)
    """The device has too little memory for the page as it was cut."""


class GenerationFailed(RuntimeError):  # noqa: N818 (what has happened)
    """The text cannot be written; the message says why, without any of the document."""


@dataclass
class Attempt:
    """One text.

    Attributes:
        reading: what it is becoming.
        page: what it has become; None while it is written.
        tokens: how many were written.
        stop: why it is over; None while it is not.
        first_token: when the first came, on the monotonic clock; None before.
        last_token: when the last came.
    """

    reading: PageReading
    tokens: int = 0
    page: PageAnswer | None = None
    stop: Stop | None = None
    first_token: float | None = None
    last_token: float | None = None

    def follow(self, job: Job, loop: Loop, listener: Listener) -> None:
        """Take in all that is written, and tell the listener.

        Raises:
            Unwanted: the listener does not want it any more; the job is left off.
            MemoryShort: there is too little memory.
            GenerationFailed: it cannot be written.
        """
        while self.stop is None:
            if not listener.is_wanted():
                loop.cancel(job.request.id)
                raise Unwanted
            try:
                event = job.events.get(timeout=_LONGEST_PAUSE_SECONDS)
            except Empty:
                continue
            self._hear(event, listener)
            if self.stop is None and self.reading.stop is not None:
                loop.cancel(job.request.id)
                self.stop = self.reading.stop
        text, self.page = self.reading.close(self.stop)
        _tell(listener, text)

    def _hear(self, event: Event, listener: Listener) -> None:
        if isinstance(event, Failed):
            raise (MemoryShort if event.is_memory_short else GenerationFailed)(event.message)
        if isinstance(event, Ended):
            self.stop = event.stop
        if isinstance(event, Written):
            self.last_token = time.monotonic()
            self.first_token = self.first_token or self.last_token
            self.tokens += len(event.tokens)
            _tell(listener, self.reading.add(event.tokens))


def _tell(listener: Listener, text: str) -> None:
    if text:
        listener.wrote(text)


def generation_of(attempts: Sequence[Attempt], began: float) -> Generation:
    """Return how a page was written that was asked for at `began`, in one attempt or more."""
    firsts = [attempt.first_token for attempt in attempts if attempt.first_token is not None]
    last = attempts[-1]
    pace = None
    if last.tokens > 1 and last.first_token is not None and last.last_token is not None:
        pace = (last.last_token - last.first_token) / (last.tokens - 1)
    return Generation(
        tokens=sum(attempt.tokens for attempt in attempts),
        first_token_seconds=firsts[0] - began if firsts else None,
        token_seconds=pace,
        attempts=len(attempts),
    )
