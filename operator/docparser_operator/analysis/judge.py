"""The verdict on a new revision, check by check. Decides only; what it sees comes as arguments."""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from docparser_api.analysis import AnalysisSpec, PrometheusQuery
from docparser_api.status import Measurement, Verdict

from docparser_operator.analysis.golden import golden_measurements
from docparser_operator.analysis.rates import metric_measurements
from docparser_operator.kinds import Manifest
from docparser_operator.pods import Pod

__all__ = [
    "golden_measurements",
    "metric_measurements",
    "pod_measurements",
    "query_measurements",
    "verdict",
]

_OUT_OF_MEMORY: Final = "OOMKilled"


def pod_measurements(pods: Iterable[Pod], rules: AnalysisSpec) -> list[Measurement]:
    """Return the checks of the new revision's `pods`."""
    seen = list(pods)
    containers = [status for pod in seen for status in _containers(pod.manifest)]
    restarts = sum(int(status.get("restartCount", 0)) for status in containers)
    # The cluster remembers only the latest end of a container, so this counts containers.
    kills = sum(_was_killed(status) for status in containers)
    return [
        _count("restarts", "restarts", restarts, rules.pods.max_restarts, len(seen)),
        _count(
            "outOfMemoryKills",
            "kills for lack of memory",
            kills,
            rules.pods.max_out_of_memory_kills,
            len(seen),
        ),
    ]


def query_measurements(
    rules: AnalysisSpec, queries: Mapping[str, float | None]
) -> list[Measurement]:
    """Return the checks of the PromQL queries, given their latest answers."""
    wanted = rules.prometheus.queries if rules.prometheus else []
    return [_query(query, queries.get(query.name)) for query in wanted]


def verdict(measurements: Iterable[Measurement]) -> Verdict:
    """Return Fail if any check failed, else Inconclusive if any is, else Pass."""
    found = {measurement.verdict for measurement in measurements}
    order: tuple[Verdict, ...] = ("Fail", "Inconclusive")
    return next((one for one in order if one in found), "Pass")


def _count(name: str, words: str, value: int, most: int, pods: int) -> Measurement:
    return Measurement(
        name=name,
        verdict="Fail" if value > most else "Pass",
        canary=value,
        limit=most,
        samples=pods,
        message=f"{value} {words} in {pods} pods; at most {most} pass",
    )


def _containers(pod: Manifest) -> list[Manifest]:
    status = pod.get("status", {})
    found: list[Manifest] = [
        *status.get("initContainerStatuses", []),
        *status.get("containerStatuses", []),
    ]
    return found


def _was_killed(status: Manifest) -> bool:
    ends = (status.get(when, {}).get("terminated") or {} for when in ("state", "lastState"))
    return any(end.get("reason") == _OUT_OF_MEMORY for end in ends)


def _query(query: PrometheusQuery, value: float | None) -> Measurement:
    low, high = query.min, query.max
    too_low = value is not None and low is not None and value < low
    too_high = value is not None and high is not None and value > high
    wanted = [f"at least {low:g}"] if low is not None else []
    wanted += [f"at most {high:g}"] if high is not None else []
    answer = f"{value:g}" if value is not None else "no answer with exactly one number"
    found: Verdict = "Fail" if too_low or too_high else "Pass"
    return Measurement(
        name=f"prometheus/{query.name}",
        verdict="Inconclusive" if value is None else found,
        # JSON knows no infinity.
        canary=value if value is not None and math.isfinite(value) else None,
        limit=low if too_low or high is None else high,
        samples=0 if value is None else 1,
        message=f"{answer}; {' and '.join(wanted)} pass",
    )
