"""Pure: when a callback that failed is tried again."""

from dataclasses import dataclass
from typing import Final

_MOST_DOUBLINGS: Final = 30


@dataclass(frozen=True)
class Schedule:
    """How patient to be with a receiver.

    Attributes:
        first_pause_seconds: pause after the first attempt; each further one is twice as long.
        longest_pause_seconds: but not longer than this.
        total_seconds: time since the end of the task in which attempts begin.
    """

    first_pause_seconds: float = 5.0
    longest_pause_seconds: float = 3600.0
    total_seconds: float = 86_400.0

    def pause_seconds(self, attempts: int, elapsed_seconds: float, chance: float) -> float | None:
        """Return the pause before the next attempt; None when there is to be none.

        Args:
            attempts: how many have failed, at least one.
            elapsed_seconds: time since the end of the task.
            chance: from 0 to 1; it shortens the pause by up to a half, so that receivers which
                were down are not overrun when they come back.
        """
        doublings = min(attempts - 1, _MOST_DOUBLINGS)
        pause = min(self.first_pause_seconds * 2**doublings, self.longest_pause_seconds)
        pause *= 1 - chance / 2
        return pause if elapsed_seconds + pause <= self.total_seconds else None
