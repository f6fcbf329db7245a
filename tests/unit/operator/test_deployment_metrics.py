from docparser_api.deployment import parse_status
from docparser_operator.deployment_metrics import DeploymentMetrics
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics
from prometheus_client import generate_latest
from support.builders import ParserBuilder

STARTED, PROGRESSED = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
READY = {
    "type": "Ready",
    "status": "False",
    "observedGeneration": 1,
    "lastTransitionTime": STARTED,
    "reason": "InsufficientReplicas",
    "message": "1 of 2 pods are available",
}
ROLLOUT = {
    "revision": "new",
    "startedAt": STARTED,
    "progressedAt": PROGRESSED,
    "steps": 3,
    "stepIndex": 1,
    "weight": 20,
    "analysis": {"verdict": "Pass", "changedAt": PROGRESSED},
}
OWNER = 'deployment="reader",namespace="default"'


def shown(*deployments: ParserBuilder) -> list[str]:
    """The lines that are scraped, without those that explain."""
    registry = Metrics().registry
    known = [(Key(d.namespace, d.name), parse_status(d.body())) for d in deployments]
    registry.register(DeploymentMetrics(lambda: known))
    lines = generate_latest(registry).decode().splitlines()
    families = ("docparser_operator_deployment", "docparser_operator_rollout")
    return [line for line in lines if line.startswith(families)]


def test_a_condition_is_told_with_its_status_and_reason() -> None:
    labels = f'{OWNER},reason="InsufficientReplicas",status="False",type="Ready"'
    line = f"docparser_operator_deployment_condition{{{labels}}} 1.0"
    assert line in shown(ParserBuilder().with_status(conditions=[READY]))


def test_pods_are_told_by_state() -> None:
    status = {"replicas": 4, "readyReplicas": 3, "availableReplicas": 2, "updatedReplicas": 1}
    lines = shown(ParserBuilder().with_status(**status))
    expected = {"current": 4, "ready": 3, "available": 2, "updated": 1}
    assert [line for line in lines if "_replicas" in line] == [
        f'docparser_operator_deployment_replicas{{{OWNER},state="{state}"}} {count}.0'
        for state, count in expected.items()
    ]


def test_the_number_that_an_autoscaler_asks_for_is_told() -> None:
    decision = {"desiredReplicas": 3, "reason": "WorkWaits", "decidedAt": STARTED}
    line = f'docparser_operator_deployment_replicas{{{OWNER},state="desired"}} 3.0'
    assert line in shown(ParserBuilder().with_status(autoscaling=decision))
    assert line not in shown(ParserBuilder())


def test_the_latest_rollout_is_told() -> None:
    lines = shown(ParserBuilder().with_status(rollout=ROLLOUT))
    name = "docparser_operator_rollout"
    assert [line for line in lines if line.startswith(name)] == [
        f"{name}_weight_percent{{{OWNER}}} 20.0",
        f"{name}_steps{{{OWNER}}} 3.0",
        f"{name}_steps_done{{{OWNER}}} 1.0",
        f"{name}_started_timestamp_seconds{{{OWNER}}} 1.7672256e+09",
        f"{name}_progressed_timestamp_seconds{{{OWNER}}} 1.76722566e+09",
        f'{name}_analysis{{{OWNER},verdict="Pass"}} 1.0',
    ]


def test_a_rollout_that_has_not_progressed_counts_from_its_beginning() -> None:
    rollout = {"revision": "new", "startedAt": STARTED}
    name = "docparser_operator_rollout_progressed_timestamp_seconds"
    assert f"{name}{{{OWNER}}} 1.7672256e+09" in shown(ParserBuilder().with_status(rollout=rollout))


def test_a_new_object_has_no_pods_and_no_rollout() -> None:
    lines = shown(ParserBuilder())
    assert len([line for line in lines if line.endswith("} 0.0")]) == 4
    assert [line for line in lines if "rollout" in line or "condition" in line] == []


def test_each_object_is_told_apart() -> None:
    lines = shown(ParserBuilder(), ParserBuilder().named("reader", "other"))
    info = "docparser_operator_deployment_info"
    assert len([line for line in lines if line.startswith(info)]) == 2


def test_nothing_is_told_where_nothing_is_known() -> None:
    assert shown() == []
