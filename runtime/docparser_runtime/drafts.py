"""Text of pages that are still being written, on its way from the engine's threads to a client.

A client that takes it slowly, or not at all, costs no more memory than the text of the pages at
hand: what waits is joined, and goes when its page has been read.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol


@dataclass(frozen=True)
class Delta:
    """More text of a page.

    Attributes:
        restarts: whether it replaces what was told of the page before.
    """

    index: int
    text: str = field(repr=False)
    restarts: bool = False


class Audience(Protocol):
    """Whoever is told of text as it is written. Any thread may call; no call blocks or raises."""

    def wrote(self, index: int, text: str) -> None:
        """Hear of more text of a page."""
        ...

    def began_anew(self, index: int) -> None:
        """Hear that the text of a page up to now is void."""
        ...


class Nobody:
    """Waits for whole pages."""

    def wrote(self, index: int, text: str) -> None:
        """Do nothing."""

    def began_anew(self, index: int) -> None:
        """Do nothing."""


NOBODY: Final = Nobody()


@dataclass
class _Draft:
    pieces: list[str] = field(default_factory=list)
    restarts: bool = False


class Drafts:
    """Keeps text until it is taken. `wake` is called, by any thread, when there is some again."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._waiting: dict[int, _Draft] = {}

    def wrote(self, index: int, text: str) -> None:
        """Join the text to what waits."""
        with self._lock:
            was_empty = not self._waiting
            self._waiting.setdefault(index, _Draft()).pieces.append(text)
        if was_empty:
            self._wake()

    def began_anew(self, index: int) -> None:
        """Forget what waits, and have the client forget what it was told."""
        with self._lock:
            was_empty = not self._waiting
            self._waiting[index] = _Draft(restarts=True)
        if was_empty:
            self._wake()

    def is_empty(self) -> bool:
        """Return whether nothing waits."""
        return not self._waiting

    def taken(self) -> Delta | None:
        """Return what waits of one page, the one that has waited longest."""
        with self._lock:
            for index in self._waiting:
                draft = self._waiting.pop(index)
                return Delta(index, "".join(draft.pieces), draft.restarts)
        return None

    def forget(self, index: int) -> None:
        """Drop what waits of a page that has been read."""
        with self._lock:
            self._waiting.pop(index, None)
