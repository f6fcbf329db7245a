"""Spans of the request or task at hand. Costs nothing where nobody traces.

Who begins a request or a task enters its first span; what runs inside finds it by the context, as
log lines find the request's id. Attributes are numbers, codes and templates: never text of a
document, a file's name, a token, a password or an address that a client named.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from docparser_runtime.errors import DocParserError

Value = str | int | float | bool
PAGE: Final = "docparser.page"
"""Index of the page, from 0."""


class Span(Protocol):
    """A step that has begun."""

    @property
    def traceparent(self) -> str:
        """The step as other processes name it, in the form of W3C Trace Context."""
        ...

    def child(self, name: str, attributes: Mapping[str, Value]) -> "Span":
        """Return a step of this step, which begins now."""
        ...

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add what is known by now."""
        ...

    def fail(self, code: str) -> None:
        """Note that the step failed, and by which code."""
        ...

    def end(self) -> None:
        """End the step now."""
        ...


@dataclass(frozen=True)
class QueuedTask:
    """A task that a worker begins with.

    Attributes:
        traceparent: step that has queued it; None when nobody traced that.
        queued_at: when that was.
        started_at: when a worker took it for the first time.
    """

    id: str
    traceparent: str | None
    queued_at: datetime
    started_at: datetime


class Tracing(Protocol):
    """Where traces begin, or go on."""

    def of_request(self, traceparent: str | None) -> AbstractContextManager[None]:
        """Return a context that is the step `request`, of the client's trace if it named one."""
        ...

    def of_task(self, task: QueuedTask) -> AbstractContextManager[None]:
        """Return a context that is the step `task`; the wait before it becomes a step, too."""
        ...

    def close(self) -> None:
        """Send what is left, for a bounded time."""
        ...


class Untraced:
    """Traces nothing."""

    def of_request(self, traceparent: str | None) -> AbstractContextManager[None]:  # noqa: ARG002
        """Return a context that does nothing."""
        return nullcontext()

    def of_task(self, task: QueuedTask) -> AbstractContextManager[None]:  # noqa: ARG002
        """Return a context that does nothing."""
        return nullcontext()

    def close(self) -> None:
        """Do nothing."""


_here: ContextVar[Span | None] = ContextVar("span", default=None)


@contextmanager
def entered(span: Span) -> Iterator[None]:
    """Return a context in which `span` is the step at hand; its end is the step's end."""
    token = _here.set(span)
    try:
        yield
    except BaseException as error:
        span.fail(_code(error))
        raise
    finally:
        _here.reset(token)
        span.end()


def step(name: str, **attributes: Value) -> AbstractContextManager[None]:
    """Return a context that is a step of the step at hand, if that is traced.

    An asynchronous generator must not yield inside: its steps belong to whoever asks it to go on.
    """
    here = _here.get()
    return nullcontext() if here is None else entered(here.child(name, attributes))


def note(attributes: Mapping[str, Value]) -> None:
    """Add what is known by now to the step at hand, if it is traced."""
    here = _here.get()
    if here is not None:
        here.note(attributes)


def fail(code: str) -> None:
    """Note that the step at hand failed, if it is traced."""
    here = _here.get()
    if here is not None:
        here.fail(code)


def traceparent() -> str | None:
    """Return the step at hand as other processes name it; None when it is not traced."""
    here = _here.get()
    return None if here is None else here.traceparent


def _code(error: BaseException) -> str:
    if isinstance(error, DocParserError):
        return error.code
    return "cancelled" if isinstance(error, asyncio.CancelledError) else type(error).__name__
