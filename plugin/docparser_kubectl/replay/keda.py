"""The published rules of KEDA around those of the HorizontalPodAutoscaler.

KEDA, "ScaledObject specification": every 30 s (pollingInterval) it looks whether there is
anything to do; if so, none becomes one; if there was nothing for 300 s (cooldownPeriod), all go.
In between its HorizontalPodAutoscaler decides, by the length of the queue per pod. With a
minimum of pods only that one decides.
"""

from typing import Final

from docparser_kubectl.replay.hpa import SYNC_SECONDS, HorizontalPodAutoscaler
from docparser_kubectl.replay.values import View

POLLING_SECONDS: Final = 30.0
COOLDOWN_SECONDS: Final = 300.0
ACTIVATION_PAGES: Final = 0


class Keda:
    """A ScaledObject with a trigger on the pages that wait or are being read."""

    def __init__(self, target_pages: float, least: int, most: int) -> None:
        """Let each pod have `target_pages`, within the bounds."""
        self._inner = HorizontalPodAutoscaler(target_pages, least, most)
        self._least = least
        # What runs at the beginning had something to do just before.
        self._active_at = 0.0
        self._next_poll = 0.0

    @property
    def interval(self) -> float:
        """Return the seconds between two looks of its HorizontalPodAutoscaler."""
        return SYNC_SECONDS

    @property
    def is_woken(self) -> bool:
        """Return that nothing wakes it: it polls."""
        return False

    def replicas(self, view: View) -> int:
        """Return the pods that should run."""
        if self._least == 0 and view.now >= self._next_poll:
            self._next_poll += POLLING_SECONDS
            polled = self._polled(view)
            if polled is not None:
                return polled
        return self._inner.replicas(view)

    def _polled(self, view: View) -> int | None:
        """Return what a poll asks for; None if it leaves that to the HorizontalPodAutoscaler."""
        if view.queued_pages + view.busy_places > ACTIVATION_PAGES:
            self._active_at = view.now
            return 1 if view.asked == 0 else None
        if view.asked == 0:
            return 0
        if view.now - self._active_at > COOLDOWN_SECONDS:
            return 0
        return None
