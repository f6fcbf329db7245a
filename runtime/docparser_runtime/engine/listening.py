"""Who waits for a page, as the engine that reads it sees them."""

from typing import Final, Protocol


class Listener(Protocol):
    """Whoever waits for a page. Any thread may call it; no call blocks or raises."""

    def is_wanted(self) -> bool:
        """Return whether the page is still waited for. To be asked before each token."""
        ...

    def wrote(self, text: str) -> None:
        """Hear of text of the page, Markdown that goes on where the last piece ended."""
        ...

    def began_anew(self) -> None:
        """Hear that what was told of the page up to now is void, as in a retry after a loop."""
        ...


class Unheard:
    """A listener that waits to the end, and for the result only."""

    def is_wanted(self) -> bool:
        """Return True."""
        return True

    def wrote(self, text: str) -> None:
        """Do nothing."""

    def began_anew(self) -> None:
        """Do nothing."""


UNHEARD: Final = Unheard()


class Unwanted(Exception):  # noqa: N818 (no fault)
    """Nobody waits for the page any more, so the engine has left off."""
