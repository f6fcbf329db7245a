from typing import Any

import pytest
from docparser_kubectl import history, status_view
from docparser_kubectl.subject import Subject

from .cases import BAD, CREATED, NEW, OLD, canary, condition, serving, subject, text, workload

PAUSE = {"reason": "Step", "since": "2026-01-01T12:01:00Z"}
MEASURED = {"canary": 0.01, "stable": 0.005, "limit": 0.025, "samples": 120}
ANALYSIS = {
    "verdict": "Fail",
    "changedAt": CREATED,
    "measurements": [
        {"name": "errorRate", "verdict": "Pass", **MEASURED, "message": "1.0 % [of requests]"},
        {"name": "golden/table/cer", "verdict": "Fail", "canary": 0.25, "samples": 4},
    ],
}
CONDITIONS = [
    condition("Ready", "True", "Available", "2 of 2 [pods] are available"),
    {**condition("Degraded", "False", "Healthy"), "observedGeneration": 0},
]


@pytest.fixture
def running() -> Subject:
    builder = canary(1, pause=PAUSE, analysis=ANALYSIS).with_status(conditions=CONDITIONS)
    return subject(builder, OLD, NEW, pods=[*workload(OLD, 2), *workload(NEW, 2, 1)])


def rows(view: Any) -> dict[str, list[str]]:
    """Return the words of each line by its first word."""
    lines = [line.split() for line in text(view, 160).splitlines() if line.strip()]
    return {line[0]: line[1:] for line in lines}


def test_status_says_what_serves_and_what_comes(running: Subject) -> None:
    shown = text(status_view.render(running), 160).splitlines()
    assert f"Serving   revision 1 ({OLD.hash}), 2 of 2 pods available" in shown
    assert f"Wanted    revision 2 ({NEW.hash})" in shown
    assert f"Rollout   Running: revision 2 ({NEW.hash}), began 2026-01-01T12:00:00Z" in shown
    assert "Weight    50 % wanted, 33 % reached" in shown
    assert "Strategy  Canary" in shown


def test_status_marks_the_current_step(running: Subject) -> None:
    shown = text(status_view.render(running)).splitlines()
    first = shown.index("Steps") + 1
    assert shown[first : first + 4] == [
        "✓ 0 send 50 % of the requests to the new revision",
        "→ 1 wait until promoted",
        "  2 wait 90 s",
        "  3 analyse for at least 60 s",
    ]


def test_status_shows_the_numbers_of_the_analysis(running: Subject) -> None:
    found = rows(status_view.render(running))
    assert found["Analysis"] == ["Fail"]
    assert found["errorRate"][:5] == ["Pass", "0.01", "0.005", "0.025", "120"]
    assert found["errorRate"][5:] == ["1.0", "%", "[of", "requests]"]
    assert found["golden/table/cer"] == ["Fail", "0.25", "-", "-", "4"]


def test_status_shows_revisions_with_pods_and_conditions(running: Subject) -> None:
    found = rows(status_view.render(running))
    assert found["2"][0] in {NEW.hash, "wait"}
    assert found["Ready"] == ["True", "Available", "2", "of", "2", "[pods]", "are", "available"]
    assert found["Degraded"] == ["False", "Healthy", "(of", "generation", "0)"]
    revisions = status_view.data(running)["revisions"]
    keys = ("number", "serving", "wanted", "pods", "available")
    assert [tuple(entry[key] for key in keys) for entry in revisions] == [
        (2, False, True, 2, 1),
        (1, True, False, 2, 2),
    ]


def test_status_says_why_a_rollout_failed() -> None:
    times = {"failedAt": "2026-01-01T12:09:00Z", "failure": "AnalysisFailed: errorRate"}
    shown = text(status_view.render(subject(canary(1, **times), OLD, NEW)), 200)
    assert "given up 2026-01-01T12:09:00Z: AnalysisFailed: errorRate" in shown


def test_status_names_the_rollback_and_its_end() -> None:
    pin = {"to": "1#x", "revision": OLD.hash, "specRevision": NEW.hash, "since": CREATED}
    shown = text(status_view.render(subject(serving().with_status(rollback=pin), OLD)), 200)
    assert f"pinned to revision 1 ({OLD.hash})" in shown
    assert "kubectl docparser rollback reader --end" in shown
    ended = {**pin, "revision": None}
    shown = text(status_view.render(subject(serving().with_status(rollback=ended), OLD)), 200)
    assert "1#x has ended" in shown


def test_status_bears_a_spec_of_a_later_version() -> None:
    newer = subject(serving().with_spec(unheardOf=1), OLD)
    assert "that this program does not know" in text(status_view.render(newer))


def test_status_of_an_object_that_nobody_has_seen() -> None:
    fresh = subject(serving().with_status(observedGeneration=0, currentRevision=None))
    shown = text(status_view.render(fresh))
    assert "the operator has not seen the latest spec" in shown
    assert "Serving   revision none" in shown


def test_history_shows_the_latest_first() -> None:
    pin = {"to": "1", "revision": OLD.hash, "specRevision": NEW.hash, "since": CREATED}
    seen = subject(serving(OLD, NEW).with_status(rollback=pin), OLD, NEW, BAD)
    lines = [line.split() for line in text(history.render(seen), 200).splitlines()]
    assert [line[0] for line in lines] == ["no.", "3", "2", "1"]
    assert lines[1][1:] == [
        *(BAD.hash, "example.org/runtime:3", "-", "3", "300", "Failed", "2026-01-01T11:00:00Z"),
        *("CrashLoop:", "exit", "code", "1"),
    ]
    assert lines[2][-2:] == ["-", "wanted"]
    assert lines[3][-2:] == ["serving,", "pinned"]


def test_history_for_programs_is_plain_data() -> None:
    entry = history.data(subject(serving(), OLD))[0]
    assert entry["observations"] == [{"number": 1, "generation": 1, "resourceVersion": "100"}]
    assert entry["outcome"]["result"] == "Succeeded"
    assert entry["created"] == CREATED
    assert entry["marks"] == ["serving", "wanted"]


def test_status_shows_what_an_autoscaler_decided() -> None:
    decided = {
        "desiredReplicas": 4,
        "reason": "WorkWaits",
        "message": "500 [pages] wait",
        "decidedAt": CREATED,
    }
    builder = canary(1).with_status(autoscaling=decided)
    builder = builder.with_spec(autoscaling={"maxReplicas": 5})
    shown = text(status_view.render(subject(builder, OLD, NEW, pods=workload(OLD, 2))), 160)
    assert f"Autoscaler  4 pods since {CREATED}, WorkWaits: 500 [pages] wait" in shown
    assert "of 4 pods available" in shown
