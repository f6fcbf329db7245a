"""Pure: server-sent events as values."""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel

from docparser_runtime.client import answers
from docparser_runtime.client.errors import InvalidAnswerError
from docparser_runtime.schemas import DeltaBody, PageBody, Problem, SummaryBody
from docparser_runtime.task_schemas import ProgressBody, TaskBody

LONGEST_LINE: Final = 256 * 1024 * 1024
"""Characters of a line, hence of a page; what sends more is no service of ours."""


@dataclass(frozen=True)
class StatusChanged:
    """A document moved on. Of a task, `progress` is the whole task."""

    progress: ProgressBody


@dataclass(frozen=True)
class TextWritten:
    """Text of page `index`, as it is written; only engines that generate send it.

    `restart` says that what was told of the page before is void.
    """

    index: int
    text: str = field(repr=False)
    restart: bool = False


@dataclass(frozen=True)
class PageRead:
    """A page has been read. `event_id` is where to go on after a break."""

    page: PageBody = field(repr=False)
    event_id: str


@dataclass(frozen=True)
class Finished:
    """All pages have been read; nothing comes after this."""

    summary: SummaryBody


Event = StatusChanged | TextWritten | PageRead | Finished


class _Probe(BaseModel):
    id: str | None = None


class EventDecoder:
    """Makes events of the bytes of a stream, in whatever pieces they come."""

    def __init__(self) -> None:
        # Only these three end a line. What Python calls lines would tear texts apart.
        utf8 = codecs.getincrementaldecoder("utf-8")()
        self._decoder = io.IncrementalNewlineDecoder(utf8, translate=True)
        self._pieces: list[str] = []
        self._length = 0
        self._fields: dict[str, list[str]] = {}

    def events(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that `chunk` completes; those of kinds not known here are passed over.

        Raises:
            ApiError: the service told of an error instead.
            InvalidAnswerError: this is no stream of events of ours.
        """
        for line in self._lines(chunk):
            if line:
                name, _, value = line.partition(":")
                self._fields.setdefault(name, []).append(value.removeprefix(" "))
            elif self._fields:
                fields, self._fields = self._fields, {}
                event = _event(fields)
                if event is not None:
                    yield event

    def _lines(self, chunk: bytes) -> Iterator[str]:
        try:
            text = self._decoder.decode(chunk)
        except UnicodeDecodeError:
            raise InvalidAnswerError("The stream is no text.") from None
        *ended, rest = text.split("\n")
        for line in ended:
            yield "".join([*self._pieces, line])
            self._pieces.clear()
            self._length = 0
        self._pieces.append(rest)
        self._length += len(rest)
        if self._length > LONGEST_LINE:
            raise InvalidAnswerError("A line of the stream has no end.")


def _event(fields: dict[str, list[str]]) -> Event | None:
    name, data = fields.get("event", ["message"])[-1], "\n".join(fields.get("data", ()))
    match name:
        case "status":
            kind = ProgressBody if answers.body(_Probe, data).id is None else TaskBody
            return StatusChanged(answers.body(kind, data))
        case "delta":
            delta = answers.body(DeltaBody, data)
            return TextWritten(delta.index, delta.text, delta.restart)
        case "page":
            return PageRead(answers.body(PageBody, data), fields.get("id", ["0"])[-1])
        case "done":
            return Finished(answers.body(SummaryBody, data))
        case "error":
            raise answers.api_error(answers.body(Problem, data))
    return None
