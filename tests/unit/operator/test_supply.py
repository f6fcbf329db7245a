"""What pods there are for an autoscaler to count on."""

from datetime import UTC, datetime
from typing import Any

import pytest
from docparser_api import names
from docparser_operator.autoscaling.values import Freeze
from docparser_operator.capacity import capacity_of
from docparser_operator.observed import Observed
from docparser_operator.pods import Pod, pod_of
from docparser_operator.supply import pod_addresses, starts, supply_of
from docparser_operator.surroundings import Surroundings
from support.builders import a_parser

NOW = datetime(2026, 1, 1, 12, 10, tzinfo=UTC)
NOTHING = Surroundings()
PARSER = a_parser().with_status(currentRevision="one", observedGeneration=1)


def at(minute: int, second: int = 0) -> str:
    return f"2026-01-01T12:{minute:02}:{second:02}Z"


def pod(revision: str = "one", *, ready: bool = True, restarts: int = 0, **given: Any) -> Pod:
    """Return a pod that was asked for at 12:00, found a node at once and began at 12:01."""
    container = {
        "name": names.CONTAINER,
        "restartCount": restarts,
        "state": {"running": {"startedAt": at(1)}},
    }
    truth = "True" if ready else "False"
    manifest: dict[str, Any] = {
        "metadata": {
            "name": "p",
            "uid": f"uid-{revision}",
            "labels": {names.LABEL_REVISION: revision},
            "creationTimestamp": at(0),
            **given.pop("metadata", {}),
        },
        "spec": {"nodeName": "a"},
        "status": {
            "podIP": "10.0.0.1",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": at(0, 2)},
                {"type": "Ready", "status": truth, "lastTransitionTime": given.pop("since", at(3))},
            ],
            "containerStatuses": [container],
        },
        **given,
    }
    return pod_of(manifest)


def observed(*pods: Pod) -> Observed:
    return Observed(pods=pods)


def test_pods_of_the_serving_revision_count_and_those_that_leave_do_not() -> None:
    leaving = pod(metadata={"deletionTimestamp": at(5)})
    pods = observed(pod(), pod(ready=False), pod("two"), leaving)
    found = supply_of(PARSER.built(), pods, NOTHING, 60, NOW)
    assert (found.ready, found.starting, found.lead_time_seconds) == (1, (600.0,), 60)


def test_all_pods_count_where_they_are_replaced_in_place() -> None:
    rollout = {"revision": "two", "startedAt": at(0), "inPlace": True}
    found = supply_of(
        PARSER.with_status(rollout=rollout).built(), observed(pod(), pod("two")), NOTHING, 60, NOW
    )
    assert found.ready == 2


@pytest.mark.parametrize(
    ("rollout", "paused", "frozen"),
    [
        (None, "true", Freeze.NOTHING),
        ({}, "false", Freeze.SHRINKING),
        ({}, "true", Freeze.ALL),
        ({"promotedAt": at(5)}, "true", Freeze.NOTHING),
        ({"failedAt": at(5)}, "false", Freeze.NOTHING),
    ],
)
def test_a_rollout_freezes_until_it_is_decided(
    rollout: dict[str, Any] | None, paused: str, frozen: Freeze
) -> None:
    parser = PARSER.with_annotation(names.ANNOTATION_PAUSE, paused)
    if rollout is not None:
        parser = parser.with_status(rollout={"revision": "two", "startedAt": at(0), **rollout})
    assert supply_of(parser.built(), observed(), NOTHING, None, NOW).frozen is frozen


def test_pods_that_can_be_asked_have_an_address() -> None:
    away = pod(status={"conditions": [{"type": "Ready", "status": "True"}]})
    assert pod_addresses(observed(pod(), pod("two", ready=False), away)) == (
        ("uid-one", "10.0.0.1:8080"),
    )


def test_a_start_has_its_parts() -> None:
    (found,) = starts(PARSER.built(), observed(pod()), NOTHING)
    assert (found.revision, found.device) == ("one", "")
    assert found.scheduling_seconds == 2
    assert found.preparing_seconds == 58
    assert found.loading_seconds == 120
    assert found.seconds == 180
    assert found.ready_at == datetime(2026, 1, 1, 12, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    "other",
    [
        pod(ready=False),
        pod(restarts=1),
        pod(since="2026-01-03T00:00:00Z"),
        pod(status={}),
    ],
)
def test_a_pod_that_was_away_or_restarted_teaches_nothing(other: Pod) -> None:
    assert starts(PARSER.built(), observed(other), NOTHING) == []


@pytest.mark.parametrize(
    ("labels", "device"),
    [({"nvidia.com/gpu.product": "H200"}, "H200"), ({}, "nvidia.com/gpu")],
)
def test_a_start_is_that_of_its_gpu(labels: dict[str, str], device: str) -> None:
    node = {"metadata": {"name": "a", "labels": labels}, "spec": {}, "status": {}}
    around = Surroundings(capacity=capacity_of([node], []))
    parser = PARSER.with_spec(resources={"gpu": {"count": 1}}).built()
    (found,) = starts(parser, observed(pod()), around)
    assert found.device == device
