"""A comparison for programs."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from docparser_kubectl.replay.comparison import Comparison
from docparser_kubectl.replay.outcome import Outcome


def as_json(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return JSON: for each trace its setup, the outcomes and the shares."""
    return [
        {
            "trace": {
                "name": found.trace.name,
                "seconds": found.trace.seconds,
                "documents": len(found.trace.arrivals),
                "pages": found.trace.pages,
            },
            "setup": {_camel(name): value for name, value in asdict(found.setup).items()},
            "outcomes": list(_rows(found)),
            "shares": found.shares,
        }
        for found in comparisons
    ]


def as_csv(comparisons: Sequence[Comparison]) -> str:
    """Return a line for each outcome."""
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for found in comparisons:
        for row in _rows(found):
            if writer is None:
                writer = csv.DictWriter(text, ["trace", *row], lineterminator="\n")
                writer.writeheader()
            writer.writerow({"trace": found.trace.name, **row})
    return text.getvalue()


def _rows(found: Comparison) -> Iterator[dict[str, Any]]:
    """Yield all outcomes: first those of the usual targets, then those with no longer P99."""
    yield _row(found.ours, is_matching=False)
    for rival in found.rivals:
        yield _row(rival.usual, is_matching=False)
    for rival in found.rivals:
        if rival.matching is not None:
            yield _row(rival.matching, is_matching=True)


def _row(found: Outcome, *, is_matching: bool) -> dict[str, Any]:
    return {
        "autoscaler": found.name,
        "matchesP99": is_matching,
        "targetPages": _rounded(found.target_pages),
        "gpuHours": _rounded(found.gpu_hours),
        "waitP50Seconds": _rounded(found.wait_p50),
        "waitP99Seconds": _rounded(found.wait_p99),
        "longestWaitSeconds": _rounded(found.longest_wait),
        "starts": found.starts,
        "readPages": found.read_pages,
        "unreadPages": found.unread_pages,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
