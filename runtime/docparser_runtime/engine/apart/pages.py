"""Pages that an engine's process has in hand, each with the thread that waits for it."""

import itertools
import threading
from collections.abc import Callable

from docparser_runtime.engine.apart.messages import BeganAnew, Failed, Left, OfPage, Read, Wrote
from docparser_runtime.engine.base import PageResult
from docparser_runtime.engine.listening import Listener
from docparser_runtime.engine.listening import Unwanted as NobodyWaits


class PageFailed(RuntimeError):  # noqa: N818 (what has happened)
    """The engine cannot read a page, though it lives; tells class and place of the error."""


class Waiting:
    """Page `index` of a document, under way. The first end that comes is its end."""

    def __init__(self, page_id: int, index: int, listener: Listener) -> None:
        self.id = page_id
        self.index = index
        self.told_unwanted = False
        self._listener = listener
        self._over = threading.Event()
        self._result: PageResult | Exception = PageFailed()

    @property
    def is_unwanted(self) -> bool:
        """Whether nobody waits for it any more."""
        return not self._listener.is_wanted()

    def hear(self, message: OfPage) -> None:
        """Pass on what the engine says of the page."""
        match message:
            case Wrote():
                self._listener.wrote(message.text)
            case BeganAnew():
                self._listener.began_anew()
            case Read():
                self.end(message.result)
            case Left():
                self.end(NobodyWaits())
            case Failed():
                self.end(PageFailed(f"{message.error} at {message.place}"))

    def end(self, result: PageResult | Exception) -> None:
        """Let `outcome` return or raise this."""
        if not self._over.is_set():
            self._result = result
            self._over.set()

    def outcome(self) -> PageResult:
        """Wait to the end, and return what was read.

        Raises:
            Exception: whatever the page ended with.
        """
        self._over.wait()
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


class Pages:
    """All pages under way, by the numbers under which the process knows them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._waiting: dict[int, Waiting] = {}

    def add(self, index: int, listener: Listener) -> Waiting:
        """Return page `index` of a document for `listener`, under a number of its own."""
        with self._lock:
            waiting = Waiting(next(self._ids), index, listener)
            self._waiting[waiting.id] = waiting
        return waiting

    def remove(self, waiting: Waiting) -> None:
        """Forget a page; what is still said of it goes unheard."""
        with self._lock:
            self._waiting.pop(waiting.id, None)

    def hear(self, message: OfPage) -> None:
        """Pass on what the engine says of one of them."""
        with self._lock:
            waiting = self._waiting.get(message.id)
        if waiting is not None:
            waiting.hear(message)

    def newly_unwanted(self) -> list[int]:
        """Return those that nobody wants any more, each once."""
        with self._lock:
            waiting = [each for each in self._waiting.values() if not each.told_unwanted]
        unwanted = [each for each in waiting if each.is_unwanted]
        for each in unwanted:
            each.told_unwanted = True
        return [each.id for each in unwanted]

    def fail_all(self, failure: Callable[[int], Exception]) -> None:
        """End all of them, each with the `failure` of its index."""
        with self._lock:
            waiting = [*self._waiting.values()]
        for each in waiting:
            each.end(failure(each.index))

    def __len__(self) -> int:
        return len(self._waiting)
