"""What a thread that waits for a text hands to the loop, and what it hears from it."""

from dataclasses import dataclass, field
from queue import SimpleQueue

from docparser_runtime.engine.generation.requests import Request
from docparser_runtime.engine.generation.stopping import Stop, TokenStops
from docparser_runtime.engine.gpu.sequence import Sequence


@dataclass(frozen=True)
class Written:
    """Tokens that go on where the last ones ended; at least one."""

    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Ended:
    """Nothing more is written."""

    stop: Stop


@dataclass(frozen=True)
class Failed:
    """Nothing more can be written; the message names no text of the document.

    Attributes:
        message: why.
        is_memory_short: whether the page may be read if it is cut into less.
    """

    message: str
    is_memory_short: bool = False


Event = Written | Ended | Failed


@dataclass
class Job:
    """One text to write.

    Attributes:
        request: what the scheduler sees of it.
        sequence: what the device sees.
        stops: when it is over.
        events: what happens to it; the last one is `Ended` or `Failed`.
    """

    request: Request
    sequence: Sequence
    stops: TokenStops
    events: "SimpleQueue[Event]" = field(default_factory=SimpleQueue)

    def take(self, tokens: list[int]) -> Stop | None:
        """Tell of `tokens` up to the end of the text; return why it is over, or None."""
        text: list[int] = []
        stop = None
        for token in tokens:
            stop = self.stops.add(token)
            if stop is not Stop.END:
                text.append(token)
            if stop is not None:
                break
        if text:
            self.events.put(Written(tuple(text)))
        if stop is not None:
            self.events.put(Ended(stop))
        return stop
