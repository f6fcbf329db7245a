"""Documents that wait, and how long they did."""

from dataclasses import dataclass, field
from heapq import heappop, heappush

from docparser_kubectl.replay.traces import Arrival, Priority


@dataclass(eq=False, slots=True)
class Document:
    """A document on its way.

    Attributes:
        number: in the order of arrival.
        left: pages that nobody has read.
        queued_at: when it began to wait.
        waited: seconds for which it waited before that.
    """

    number: int
    priority: Priority
    left: int
    queued_at: float
    waited: float = 0.0


@dataclass(slots=True)
class Backlog:
    """Documents that wait: by priority, then in the order of arrival, given back or not."""

    pages: int = 0
    arrived_pages: int = 0
    _arrived: int = 0
    _lines: dict[Priority, list[tuple[int, Document]]] = field(
        default_factory=lambda: {priority: [] for priority in sorted(Priority, reverse=True)}
    )

    def add(self, arrival: Arrival) -> None:
        """Let a new document wait."""
        self._arrived += 1
        self.arrived_pages += arrival.pages
        document = Document(self._arrived, arrival.priority, arrival.pages, arrival.at)
        self._queue(document)

    def give_back(self, document: Document, now: float) -> None:
        """Let a begun document wait for somebody who reads what is left of it."""
        document.queued_at = now
        self._queue(document)

    def take(self, now: float) -> Document | None:
        """Return the document that is next, which waits no longer; None if none waits."""
        for line in self._lines.values():
            if line:
                _, document = heappop(line)
                self.pages -= document.left
                document.waited += now - document.queued_at
                return document
        return None

    def oldest_wait(self, now: float) -> float:
        """Return how long the first of a line has waited, of all lines the longest."""
        return max([now - line[0][1].queued_at for line in self._lines.values() if line], default=0)

    def _queue(self, document: Document) -> None:
        self.pages += document.left
        heappush(self._lines[document.priority], (document.number, document))
