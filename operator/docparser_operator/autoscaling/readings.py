"""What a pod says of its load, in the text that it exposes for Prometheus."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from docparser_api.names import PATH_CHAT, PATH_PARSE, PATH_TASKS
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from docparser_operator.analysis.exposition import TURNED_AWAY, MalformedError

_REQUESTS: Final = "docparser_requests_total"
_PAGES: Final = "docparser_pages_total"
_DOCUMENTS: Final = "docparser_queue_wait_seconds_count"
_TASKS: Final = "docparser_tasks_total"
_WAITING: Final = "docparser_requests_waiting"
_RUNNING: Final = "docparser_requests_running"
_QUEUED_PAGES: Final = "docparser_queue_queued_pages"
_RUNNING_JOBS: Final = "docparser_queue_running_jobs"
_RUNNING_PAGES: Final = "docparser_queue_running_pages"
_OLDEST: Final = "docparser_queue_oldest_seconds"
_VRAM_USED: Final = "docparser_vram_used_bytes"
_VRAM_PLANNED: Final = "docparser_vram_planned_bytes"
_SUMS: Final = (
    _PAGES,
    _DOCUMENTS,
    _TASKS,
    _WAITING,
    _RUNNING,
    _QUEUED_PAGES,
    _RUNNING_JOBS,
    _RUNNING_PAGES,
)
_NAMES: Final = frozenset({*_SUMS, _REQUESTS, _OLDEST, _VRAM_USED, _VRAM_PLANNED})
_ROUTES: Final = frozenset({PATH_PARSE, PATH_TASKS, PATH_CHAT})


@dataclass(frozen=True)
class Reading:
    """The load of one pod, as it tells it.

    Attributes:
        pages: that it has read since it began.
        documents: of these: those that got a place, and tasks that ended.
        refused: requests that were turned away since then, for lack of room.
        waiting: documents that wait for a place, tasks left out.
        running: documents that are being read, those of tasks included.
        queued_pages: of tasks that wait, in its whole queue.
        running_jobs: tasks that are being read, in its whole queue.
        running_pages: of these.
        oldest_seconds: how long the oldest task has waited.
        vram_used: share of the planned GPU memory, of the fullest device; None without one.
    """

    pages: float
    documents: float = 0.0
    refused: float = 0.0
    waiting: float = 0.0
    running: float = 0.0
    queued_pages: float = 0.0
    running_jobs: float = 0.0
    running_pages: float = 0.0
    oldest_seconds: float = 0.0
    vram_used: float | None = None

    @property
    def is_saturated(self) -> bool:
        """Whether it could not read more: something waits for it."""
        return self.waiting > 0 or self.queued_pages > 0


def reading(text: str) -> Reading:
    """Return the load in `text`, the exposition format of Prometheus.

    Raises:
        MalformedError: the text cannot be read, or does not come from a runtime.
    """
    samples = _samples(text)
    if not any(sample.name == _PAGES for sample in samples):
        raise MalformedError(f"there is no {_PAGES}")
    sums = {name: sum(_values(samples, name)) for name in _SUMS}
    return Reading(
        pages=sums[_PAGES],
        documents=sums[_DOCUMENTS] + sums[_TASKS],
        refused=sum(_number(sample) for sample in samples if _is_refusal(sample)),
        waiting=sums[_WAITING],
        running=sums[_RUNNING],
        queued_pages=sums[_QUEUED_PAGES],
        running_jobs=sums[_RUNNING_JOBS],
        running_pages=sums[_RUNNING_PAGES],
        oldest_seconds=max(_values(samples, _OLDEST), default=0.0),
        vram_used=_vram_used(samples),
    )


def _samples(text: str) -> list[Sample]:
    """Return our samples: the parser is slow, and most lines are of others."""
    lines = [line for line in text.splitlines() if line.split("{")[0].split(" ")[0] in _NAMES]
    try:
        families = text_string_to_metric_families("\n".join([*lines, ""]))
        return [sample for family in families for sample in family.samples]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise MalformedError(f"not in the exposition format: {type(error).__name__}") from None


def _values(samples: Iterable[Sample], name: str) -> list[float]:
    return [_number(sample) for sample in samples if sample.name == name]


def _number(sample: Sample) -> float:
    if not 0 <= sample.value < math.inf:
        raise MalformedError(f"{sample.name} is {sample.value}")
    return float(sample.value)


def _is_refusal(sample: Sample) -> bool:
    """Return whether `sample` counts requests for which there was no room."""
    its = sample.labels
    return (
        sample.name == _REQUESTS
        and its.get("route") in _ROUTES
        and its.get("status") in TURNED_AWAY
    )


def _vram_used(samples: Iterable[Sample]) -> float | None:
    planned = {s.labels.get("device"): _number(s) for s in samples if s.name == _VRAM_PLANNED}
    used = {s.labels.get("device"): _number(s) for s in samples if s.name == _VRAM_USED}
    shares = [used[device] / most for device, most in planned.items() if most and device in used]
    return max(shares, default=None)
