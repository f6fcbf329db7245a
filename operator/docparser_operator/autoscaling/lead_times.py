"""How long pods take until they serve, as learned from those that did."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from docparser_api.autoscaling import LeadTime

from docparser_operator.clock import timestamp

SLOWER: Final = 0.5
"""Weight of a start that took longer than was known."""
QUICKER: Final = 0.1
"""Weight of one that was quicker. With both, the estimate lies where one start in six is slower."""
MOST_LEAD_TIMES: Final = 16
"""Revisions of which lead times are kept."""


@dataclass(frozen=True)
class Start:
    """How a pod came to serve.

    Attributes:
        scheduling_seconds: until a node was found.
        preparing_seconds: from then until images and weights were there.
        loading_seconds: from then until it was ready.
        ready_at: when that was.
    """

    revision: str
    device: str
    scheduling_seconds: float
    preparing_seconds: float
    loading_seconds: float
    ready_at: datetime

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.scheduling_seconds + self.preparing_seconds + self.loading_seconds


def learned(known: LeadTime | None, start: Start) -> LeadTime:
    """Return `known` with what `start` teaches."""
    parts = {
        "seconds": start.seconds,
        "scheduling_seconds": start.scheduling_seconds,
        "preparing_seconds": start.preparing_seconds,
        "loading_seconds": start.loading_seconds,
    }
    if known is not None:
        parts = {name: _moved(getattr(known, name), value) for name, value in parts.items()}
    return LeadTime(
        revision=start.revision,
        device=start.device,
        samples=1 if known is None else known.samples + 1,
        latest=timestamp(start.ready_at),
        **{name: round(value) for name, value in parts.items()},
    )


def all_learned(known: list[LeadTime], starts: list[Start]) -> list[LeadTime]:
    """Return `known` with what those of `starts` teach that are later than what is known."""
    found = {(lead.revision, lead.device): lead for lead in known}
    for start in sorted(starts, key=lambda start: start.ready_at):
        key = start.revision, start.device
        before = found.get(key)
        # A start of the same second may be lost: better than to learn one twice.
        if before is None or timestamp(start.ready_at) > before.latest:
            found.pop(key, None)
            found[key] = learned(before, start)
    return list(found.values())[-MOST_LEAD_TIMES:]


def lead_time_of(known: list[LeadTime], revision: str) -> int | None:
    """Return the lead time of `revision` in seconds, on the slowest of its GPUs.

    Until one of its pods served, it is that of the revision which was learned of last.
    """
    own = [lead.seconds for lead in known if lead.revision == revision]
    others = [lead.seconds for lead in known[-1:]]
    return max(own or others, default=None)


def _moved(known: float, value: float) -> float:
    """Return `known` a step nearer to `value`; what is slower counts more."""
    return known + (SLOWER if value > known else QUICKER) * (value - known)
