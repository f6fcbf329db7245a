"""How long a service waits for its engine's process."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Times in seconds.

    Attributes:
        silence: longest time without a sign of life.
        loading_silence: the same until it has loaded: the system may take long to map libraries
            from a slow disk, and nothing of the process runs meanwhile.
        first_pause: from the end of a process to the start of the next.
        longest_pause: what the pause grows to, twofold each time.
        good_life: who has lived so long is followed after the first pause again.
        look: from one look at who still waits for the pages in hand to the next.
    """

    silence: float = 10
    loading_silence: float = 120
    first_pause: float = 1
    longest_pause: float = 30
    good_life: float = 60
    look: float = 0.02

    def next_pause(self, pause: float, lived: float) -> float:
        """Return the pause after a life of `lived` seconds, if the one before was `pause`."""
        if pause == 0 or lived >= self.good_life:
            return self.first_pause
        return min(2 * pause, self.longest_pause)
