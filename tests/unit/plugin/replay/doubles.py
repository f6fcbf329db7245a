"""Autoscalers and views whose numbers a test knows."""

import io
from collections.abc import Sequence
from typing import Any

from docparser_kubectl.replay.traces import Arrival, Trace, trace_of
from docparser_kubectl.replay.values import View
from rich.console import Console, RenderableType


class Ordered:
    """Asks for what it was told, from the given second on; looks every `interval` seconds."""

    def __init__(self, *orders: tuple[float, int], interval: float = 1.0, woken: int = 0) -> None:
        self.interval = interval
        self.is_woken = woken > 0
        self.views: list[View] = []
        self._orders, self._woken = orders, woken

    def replicas(self, view: View) -> int:
        """Return the latest order; once woken, at least the number for that."""
        self.views.append(view)
        if self.is_woken and view.queued_pages:
            return self._woken
        return [pods for at, pods in self._orders if at <= view.now][-1]


def a_trace(*arrivals: Arrival | tuple[float, int], seconds: float = 0.0) -> Trace:
    """Return a trace of (time, pages)."""
    found = [one if isinstance(one, Arrival) else Arrival(*one) for one in arrivals]
    return trace_of("a trace", found, max([seconds, *(one.at for one in found)]))


def a_view(now: float = 0.0, *, queued: int = 0, asked: int = 1, **values: Any) -> View:
    """Return a view of pods that all serve."""
    usual: dict[str, Any] = {
        "ready": asked,
        "starting": (),
        "running_pages": 0,
        "busy_places": 0,
        "oldest_wait": 0.0,
        "arrived_pages": 0,
        "free_room": 10,
    }
    return View(now=now, queued_pages=queued, asked=asked, **{**usual, **values})


def text(view: RenderableType) -> str:
    """Return what is printed."""
    out = io.StringIO()
    Console(file=out, width=120).print(view)
    return out.getvalue()


def spread(waits: Sequence[Any]) -> list[tuple[float, int]]:
    """Return waits as (seconds, pages), the shortest first."""
    return sorted((round(wait.seconds, 6), wait.pages) for wait in waits)
