"""What other autoscalers look at, by Prometheus' own tool: pages that wait or are being read."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import prometheus
from support.alerts import RULES

WHO = 'namespace="ocr",deployment="reader"'
RECORDED = "docparser:outstanding_pages"


def pod(name: str, **values: float) -> list[dict[str, str]]:
    """Return the series of one pod, all of them constant."""
    series = []
    for metric, value in values.items():
        track = ',track="1"' if metric.startswith("queue_") and "wait" not in metric else ""
        labels = f'{{{WHO},pod="{name}"{track}}}'
        series.append({"series": f"docparser_{metric}{labels}", "values": f"{value}x9"})
    return series


def queue(queued: int, running: int, jobs: int) -> dict[str, float]:
    return {
        "queue_queued_pages": queued,
        "queue_running_pages": running,
        "queue_running_jobs": jobs,
    }


PLAIN = {"pages_total": 30, "queue_wait_seconds_count": 10}
CASES: dict[str, tuple[list[dict[str, str]], int | None, int | None]] = {
    "nothing is scraped": ([], None, None),
    "documents count as their pages": (
        pod("a", **PLAIN, requests_running=2, requests_waiting=1)
        + pod("b", **PLAIN, requests_running=1, requests_waiting=0),
        12,
        12,
    ),
    "before the first document has ended it counts as one page": (
        pod("a", pages_total=0, queue_wait_seconds_count=0, requests_running=2, requests_waiting=3),
        5,
        5,
    ),
    "each pod has a queue, or tells of the same one": (
        pod("a", **PLAIN, requests_running=1, requests_waiting=0, **queue(100, 20, 1))
        + pod("b", **PLAIN, requests_running=0, requests_waiting=0, **queue(90, 20, 1)),
        230,
        120,
    ),
    "a task that is being read counts once": (
        pod("a", **PLAIN, requests_running=3, requests_waiting=0, **queue(0, 8, 2)),
        11,
        11,
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_outstanding_pages(what: str, tmp_path: Path) -> None:
    series, by_sum, by_max = CASES[what]
    tests = [
        {
            "interval": "1m",
            "input_series": series,
            "promql_expr_test": [
                _expected(f"{RECORDED}:sum", by_sum),
                _expected(f"{RECORDED}:max", by_max),
            ],
        }
    ]
    file = tmp_path / "test.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(path) for path in RULES], "tests": tests}))
    program = prometheus.program().with_name("promtool")
    done = subprocess.run(
        [program, "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _expected(series: str, value: int | None) -> dict[str, Any]:
    samples = [] if value is None else [{"labels": f"{series}{{{WHO}}}", "value": value}]
    return {"expr": series, "eval_time": "5m", "exp_samples": samples}
