from typing import Any

import pytest
from docparser_kubectl.errors import Failure
from docparser_kubectl.replay.subject import Wanted, subject
from docparser_kubectl.replay.values import Drain, Setup


def manifest(**spec: Any) -> dict[str, Any]:
    """A file's object."""
    return {"metadata": {"name": "reader"}, "spec": {"image": "example.org/runtime:1", **spec}}


SCALING = {"minReplicas": 2, "maxReplicas": 8, "targetWaitSeconds": 30, "idleSeconds": 120}


def test_without_anything_the_usual_is_played() -> None:
    setup, rules = subject(None, Wanted())
    assert setup == Setup()
    assert (rules.min_replicas, rules.max_replicas, rules.target_wait_seconds) == (0, 10, 60)


def test_a_file_says_how_it_scales() -> None:
    spec = manifest(
        autoscaling={**SCALING, "pagesPerMinute": 120},
        runtime={"maxConcurrency": 4},
        resources={"gpu": {"count": 2}},
    )
    setup, rules = subject(spec, Wanted())
    assert (setup.least, setup.most, setup.target_wait) == (2, 8, 30)
    assert (setup.places, setup.gpus, setup.page_seconds) == (4, 2, 2)
    assert (rules.idle_seconds, rules.scale_down_stabilization_seconds) == (120, 120)


def test_the_command_line_comes_first() -> None:
    wanted = Wanted(1, 4, 90, 60, 0.5, 3, 0, 3, Drain.FINISH)
    setup, rules = subject(manifest(autoscaling={**SCALING, "pagesPerMinute": 120}), wanted)
    assert setup == Setup(0.5, 3, 0, 1, 4, 3, 1, 90, Drain.FINISH)
    assert (rules.min_replicas, rules.max_replicas, rules.idle_seconds) == (1, 4, 60)


WRONG: dict[str, tuple[dict[str, Any] | None, Wanted, str]] = {
    "no autoscaling": (manifest(), Wanted(), "reader has no spec.autoscaling"),
    "more than the most": (None, Wanted(least=11), "at least the fewest"),
    "no number": (None, Wanted(lead_seconds=float("nan")), "must be a number"),
    "a field that cannot be": (
        manifest(autoscaling={**SCALING, "maxReplicas": "many"}),
        Wanted(),
        "spec.autoscaling.maxReplicas: ",
    ),
    "a zone that does not exist": (
        manifest(
            autoscaling={
                **SCALING,
                "schedules": [
                    {
                        "name": "day",
                        "start": "0 8 * * *",
                        "durationSeconds": 3600,
                        "timeZone": "Mars/Base",
                    }
                ],
            }
        ),
        Wanted(),
        "there is no time zone Mars/Base",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_said(what: str) -> None:
    content, wanted, words = WRONG[what]
    with pytest.raises(Failure, match=words):
        subject(content, wanted)
