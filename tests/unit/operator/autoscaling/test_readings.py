"""What a pod says of its load."""

import pytest
from docparser_operator.analysis.exposition import MalformedError
from docparser_operator.autoscaling.readings import Reading, reading
from support.exposed_load import exposed
from support.exposed_metrics import exposed_metrics


def test_tracks_are_added_up_and_the_oldest_counts() -> None:
    text = exposed(
        pages=30, documents=8, tasks=2, waiting=2, running=3, queued_pages=5, more_pages=7,
        running_jobs=1, running_pages=4, oldest=11, older=90, refused=6, used=9, planned=10,
    )  # fmt: skip
    assert reading(text) == Reading(
        pages=30, documents=10, refused=6, waiting=2, running=3, queued_pages=12, running_jobs=1,
        running_pages=4, oldest_seconds=90, vram_used=0.9,
    )  # fmt: skip


def test_an_idle_pod_without_a_gpu_has_zeros() -> None:
    assert reading(exposed()) == Reading(pages=0)
    assert not reading(exposed()).is_saturated


@pytest.mark.parametrize("given", [{"waiting": 1}, {"queued_pages": 1}])
def test_a_pod_for_which_something_waits_is_saturated(given: dict[str, float]) -> None:
    assert reading(exposed(**given)).is_saturated


@pytest.mark.parametrize(
    "text",
    ["", "<html>", "docparser_requests_waiting 1\n", exposed(waiting=-1), exposed(pages=1e999)],
)
def test_what_is_not_a_load_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        reading(text)


def test_the_names_are_those_of_the_runtime() -> None:
    known = exposed_metrics()
    lines = [line.split("{")[0].split(" ")[0] for line in exposed(
        tasks=1, waiting=1, running=1, queued_pages=1, running_jobs=1, running_pages=1, oldest=1,
        refused=1, used=1, planned=1,
    ).splitlines() if line.startswith("docparser")]  # fmt: skip
    assert set(lines) <= set(known)
    assert known["docparser_queue_wait_seconds"] == "histogram"
