"""Reads the counters of a pod from the text that it exposes for Prometheus."""

import math
from collections.abc import Iterable
from typing import Final

from docparser_api.names import PATH_PARSE
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from docparser_operator.analysis.evidence import Buckets, Totals

_REQUESTS: Final = "docparser_requests"
_SECONDS: Final = "docparser_request_duration_seconds"
_TASKS: Final = "docparser_task_duration_seconds"
_PAGES: Final = "docparser_pages"
_REPETITION: Final = "docparser_pages_repetition"
_TRUNCATED: Final = "docparser_pages_truncated"
_FAMILIES: Final = (_REQUESTS, _SECONDS, _TASKS, _PAGES, _REPETITION, _TRUNCATED)
_PREFIXES: Final = (_REQUESTS, _SECONDS, _TASKS, _PAGES)

TURNED_AWAY: Final = frozenset({"429", "503"})
"""Statuses of requests for which there was no room. They tell the load and not the revision, and
would hide errors among themselves."""


class MalformedError(ValueError):
    """The text is not that of a runtime pod."""


def counters(text: str) -> Totals:
    """Return the counters in `text`, the exposition format of Prometheus.

    Tasks that a worker has read count as the requests that it never sees.

    Counters that the pod does not know are zero.

    Raises:
        MalformedError: the text cannot be read, or does not come from a runtime.
    """
    try:
        found = text_string_to_metric_families("\n".join(_relevant(text)))
        families = {family.name: family for family in found if family.name in _FAMILIES}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise MalformedError(f"not in the exposition format: {type(error).__name__}") from None
    if _REQUESTS not in families:
        raise MalformedError(f"there is no {_REQUESTS}")
    requests = _requests(families)
    pages = Totals(
        pages=_total(_samples(families, _PAGES)),
        repetition=_total(_samples(families, _REPETITION)),
        truncated=_total(_samples(families, _TRUNCATED)),
    )
    answered = Totals(
        requests=_total(requests),
        server_errors=_total(filter(_is_server_error, requests)),
        buckets=_buckets(filter(_on_route, _samples(families, _SECONDS, "_bucket"))),
        seconds=sum(_number(s) for s in _samples(families, _SECONDS, "_sum") if _on_route(s)),
    )
    return pages + answered + _tasks(families)


def _tasks(families: dict[str, Metric]) -> Totals:
    counts = _samples(families, _TASKS, "_count")
    return Totals(
        requests=_total(counts),
        server_errors=_total(filter(_is_server_error, counts)),
        buckets=_buckets(_samples(families, _TASKS, "_bucket")),
        seconds=sum(map(_number, _samples(families, _TASKS, "_sum"))),
    )


def _is_server_error(sample: Sample) -> bool:
    return sample.labels.get("status", "").startswith("5")


def _relevant(text: str) -> Iterable[str]:
    """Yield the lines about our families: the parser is slow, and most lines are not."""
    for line in text.splitlines():
        words = line.split(maxsplit=3) if line.startswith("#") else [line]
        if any(word.startswith(_PREFIXES) for word in words):
            yield line
    yield ""


def _samples(families: dict[str, Metric], name: str, suffix: str = "_total") -> list[Sample]:
    samples = families[name].samples if name in families else []
    return [sample for sample in samples if sample.name == name + suffix]


def _requests(families: dict[str, Metric]) -> list[Sample]:
    return [
        sample
        for sample in _samples(families, _REQUESTS)
        if _on_route(sample) and sample.labels.get("status") not in TURNED_AWAY
    ]


def _on_route(sample: Sample) -> bool:
    return sample.labels.get("route") == PATH_PARSE


def _number(sample: Sample) -> float:
    if not 0 <= sample.value < math.inf:
        raise MalformedError(f"{sample.name} is {sample.value}")
    return float(sample.value)


def _total(samples: Iterable[Sample]) -> int:
    return int(sum(map(_number, samples)))


def _buckets(samples: Iterable[Sample]) -> Buckets:
    """Return the buckets in order, those of several statuses together.

    Raises:
        MalformedError: they do not add up.
    """
    sums: dict[float, int] = {}
    try:
        for sample in samples:
            bound = float(sample.labels["le"])
            sums[bound] = sums.get(bound, 0) + int(_number(sample))
    except (KeyError, ValueError):
        raise MalformedError("a bucket is not a number") from None
    found = sorted(sums.items())
    counts = [count for _bound, count in found]
    if found and (found[-1][0] != math.inf or counts != sorted(counts)):
        raise MalformedError("the buckets do not add up")
    return tuple(found)
