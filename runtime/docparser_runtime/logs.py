"""Log lines as JSON. Exceptions appear as their kind and place, never with their message.

A message of a foreign library may quote the document that it failed on.
"""

import logging
import sys
import traceback
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Protocol, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_FRAMES = 12
"""Innermost frames of a traceback that are kept."""
_LEVELS = logging.getLevelNamesMapping()


class Log(Protocol):
    """Writes events with named values."""

    def debug(self, event: str, **values: object) -> None:
        """Write what only a developer needs."""
        ...

    def info(self, event: str, **values: object) -> None:
        """Write what happened."""
        ...

    def warning(self, event: str, **values: object) -> None:
        """Write what may need care."""
        ...

    def error(self, event: str, **values: object) -> None:
        """Write what failed."""
        ...

    def exception(self, event: str, **values: object) -> None:
        """Write what failed, with the exception that is being handled."""
        ...


def create(stream: TextIO, level: str) -> Log:
    """Return a logger that writes events of at least `level` to `stream`."""
    log: Log = structlog.wrap_logger(
        structlog.PrintLogger(stream),
        processors=[structlog.stdlib.add_log_level, *_processors()],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level.upper()]),
    )
    return log


def route_libraries(stream: TextIO, level: str) -> None:
    """Send the standard library's log records to `stream` in the same form.

    Libraries are held to warnings, unless `level` is more severe.
    """
    level_number = max(logging.WARNING, _LEVELS[level.upper()])
    logging.basicConfig(handlers=[library_handler(stream)], level=level_number, force=True)
    # It quotes the bytes it stumbles on, which may be a file's name.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)


def library_handler(stream: TextIO) -> logging.Handler:
    """Return a handler that writes the standard library's log records to `stream` as JSON."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_processors(),
            ],
        )
    )
    return handler


def of_request(request_id: str) -> AbstractContextManager[None]:
    """Return a context in which every line, also of libraries, bears the request's id."""
    return structlog.contextvars.bound_contextvars(request_id=request_id)


def of_trace(trace_id: str) -> AbstractContextManager[None]:
    """Return a context in which every line bears the trace's id."""
    return structlog.contextvars.bound_contextvars(trace_id=trace_id)


def _processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _exception_without_message,
        structlog.processors.JSONRenderer(),
    ]


def _exception_without_message(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    error = _exception(event.pop("exc_info", None))
    if error is not None:
        event["error"] = type(error).__qualname__
        event["trace"] = _trace(error.__traceback__)
    return event


def _exception(exc_info: Any) -> BaseException | None:
    if exc_info is True:
        exc_info = sys.exc_info()
    if isinstance(exc_info, tuple):
        exc_info = exc_info[1]
    return exc_info if isinstance(exc_info, BaseException) else None


def _trace(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-_FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
