import csv
import io
import json
from pathlib import Path

import pytest
from docparser_kubectl.__main__ import app
from docparser_kubectl.errors import Failure
from docparser_kubectl.replay.command import chosen
from docparser_kubectl.replay.patterns import Pattern
from docparser_kubectl.replay.values import Setup
from typer.testing import CliRunner, Result

OBJECT = """
apiVersion: docparser.dev/v1alpha1
kind: DocParserDeployment
metadata: {name: reader}
spec:
  image: example.org/runtime:1
  autoscaling: {minReplicas: 1, maxReplicas: 4, pagesPerMinute: 60}
  runtime: {maxConcurrency: 1}
"""


@pytest.fixture
def day(tmp_path: Path) -> str:
    """A file of 20 minutes, with a heap of pages in the middle."""
    path = tmp_path / "day.csv"
    rows = [(at, 4, "normal") for at in range(0, 1200, 20)] + [(500, 100, "low")]
    text = "".join(f"{at},{pages},{priority}\n" for at, pages, priority in rows)
    path.write_text("time_seconds,pages,priority\n" + text)
    return str(path)


def simulate(*words: str) -> Result:
    """What the command prints."""
    return CliRunner().invoke(app, ["simulate", *words])


def test_a_trace_is_played_and_shown(day: str) -> None:
    done = simulate("--trace", day, "--places", "1", "--max", "4", "--min", "1")
    assert done.exit_code == 0, done.exception
    lines = done.stdout.splitlines()
    assert lines[0] == f"{day}: 61 documents, 340 pages in 20 min"
    assert lines[1] == (
        "A pod reads 30 pages a minute in 1 places and starts in 90 s. 1 to 4 pods, "
        "target wait 60 s."
    )
    rows = [line.split() for line in lines if line.startswith(("Builtin ", "HPA ", "KEDA "))]
    assert [row[0] for row in rows[:3]] == ["Builtin", "HPA", "KEDA"]
    assert {row[-1] for row in rows[:3]} == {"340"}
    assert sum(line.count("|") for line in lines) == 2 * 6
    assert any("times the GPU-hours of HPA's rules" in line for line in lines)


def test_json_for_programs(day: str) -> None:
    found = json.loads(simulate("--trace", day, "--max", "4", "-o", "json").stdout)
    (one,) = found
    assert one["trace"] == {"name": day, "seconds": 1180, "documents": 61, "pages": 340}
    assert one["setup"]["targetWait"] == 60
    usual = [row for row in one["outcomes"] if not row["matchesP99"]]
    assert [row["autoscaler"] for row in usual] == ["Builtin", "HPA", "KEDA"]
    assert {row["readPages"] for row in usual} == {340}
    assert set(one["shares"]) == {"HPA", "KEDA"}


def test_csv_for_tables(day: str) -> None:
    text = simulate("--trace", day, "--max", "4", "-o", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["autoscaler"] for row in rows[:3]] == ["Builtin", "HPA", "KEDA"]
    assert {row["trace"] for row in rows} == {day}
    assert all(float(row["gpuHours"]) > 0 for row in rows)


def test_a_file_says_how_pods_scale(day: str, tmp_path: Path) -> None:
    path = tmp_path / "reader.yaml"
    path.write_text(OBJECT)
    words = ("reader", "-f", str(path), "--trace", day, "-o", "json", "--lead-seconds", "30")
    (one,) = json.loads(simulate(*words).stdout)
    expected = {"least": 1, "most": 4, "pageSeconds": 1, "places": 1, "leadSeconds": 30}
    assert one["setup"].items() >= expected.items()


def test_without_a_trace_all_patterns_are_played() -> None:
    found = chosen(None, None, Setup(most=1, places=1), 3)
    assert [one.name for one in found] == list(Pattern)
    assert found == chosen(None, [], Setup(most=1, places=1), 3)
    assert [one.name for one in chosen(None, [Pattern.BOMBS], Setup(most=1, places=1), 3)] == [
        "bombs"
    ]


WRONG = {
    "both": (("--trace", "day.csv", "--pattern", "burst"), "not both"),
    "a name without a file": (("reader",), "give the file with -f"),
    "no such file": (("--trace", "nowhere.csv"), "nowhere.csv cannot be read"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_a_failure(what: str) -> None:
    words, message = WRONG[what]
    done = simulate(*words)
    assert isinstance(done.exception, Failure)
    assert message in str(done.exception)
