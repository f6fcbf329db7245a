"""A HorizontalPodAutoscaler or KEDA decides, on a real API server with the former's controller."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.eventually import always, eventually
from support.keda import install_scaled_objects, remove_scaled_objects
from support.kubectl import Kubectl, KubectlError, Manifest
from support.operator_process import OperatorProcess

from .conftest import a_parser, condition, wait_serving

RULES = {
    "maxReplicas": 4,
    "pagesPerMinute": 60,
    "keda": {"prometheusAddress": "http://prometheus.monitoring:9090"},
}
REFUSED: dict[str, tuple[Manifest, str]] = {
    "another mode": ({"mode": "VPA"}, "Unsupported value"),
    "zero with HPA": ({"mode": "HPA", "minReplicas": 0}, "does not scale from zero"),
    "no throughput": ({"mode": "HPA", "pagesPerMinute": None}, "need autoscaling.pagesPerMinute"),
    "no server": ({"mode": "KEDA", "keda": None}, "with the address of a Prometheus server"),
    "full pods": ({"mode": "HPA", "vramHighPercent": 80}, "no vramHighPercent"),
    "a schedule": (
        {"mode": "KEDA", "schedules": [{"name": "a", "start": "0 8 * * *", "durationSeconds": 60}]},
        "know no schedules",
    ),
}


def under(mode: str, **spec: Any) -> Manifest:
    return a_parser("reader", autoscaling={**RULES, "mode": mode}, **spec)


@pytest.fixture
def keda(cluster: Kubectl) -> Iterator[None]:
    """A cluster that knows ScaledObjects, for the time of a test."""
    install_scaled_objects(cluster)
    yield
    remove_scaled_objects(cluster)


@pytest.fixture
def later_operator(keda: None, operator: OperatorProcess) -> OperatorProcess:
    """An operator that began after KEDA was installed."""
    return operator


def sizes(kubectl: Kubectl) -> list[int]:
    return [deployment["spec"]["replicas"] for deployment in kubectl.list("deployments")]


def says(kubectl: Kubectl, reason: str) -> None:
    eventually(
        lambda: condition(kubectl, "reader", "ScalingActive").get("reason"),
        lambda now: now == reason,
        40,
        f"ScalingActive gives {reason}",
    )


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_mode_does_not_know_is_refused(what: str, kubectl: Kubectl) -> None:
    rules, words = REFUSED[what]
    given = {k: v for k, v in {**RULES, **rules}.items() if v is not None}
    queue = {"databaseUrlSecretRef": {"name": "d", "key": "u"}, "objectStore": {"url": "s3://a/b"}}
    with pytest.raises(KubectlError) as refusal:
        kubectl.apply(a_parser("reader", topology="Queue", queue=queue, autoscaling=given))
    assert words in str(refusal.value)


def test_a_horizontal_pod_autoscaler_reads_and_writes_through_scale(
    kubectl: Kubectl, operator: OperatorProcess
) -> None:
    kubectl.apply(under("HPA", replicas=2))
    wait_serving(kubectl, "reader")
    # There is no metrics server, and the controller says so: it has read /scale before.
    says(kubectl, "ScalerFailed")
    found = kubectl.get("hpa", "reader")
    assert found is not None
    able = {c["type"]: c["status"] for c in found["status"]["conditions"]}
    assert able["AbleToScale"] == "True"
    assert found["status"]["currentReplicas"] == 2
    assert "FailedGetExternalMetric" in condition(kubectl, "reader", "ScalingActive")["message"]
    scale = json.loads(kubectl.run("get", "dpd", "reader", "--subresource=scale", "-o", "json"))
    assert scale["status"]["selector"].startswith("docparser.dev/deployment=reader,")

    kubectl.run("scale", "dpd", "reader", "--replicas=3")  # as the autoscaler does
    eventually(lambda: sizes(kubectl), lambda now: now == [3], 20, "pods follow /scale")

    kubectl.run("delete", "hpa", "reader")
    eventually(lambda: kubectl.get("hpa", "reader"), bool, 20, "it is made again")
    patch = json.dumps({"spec": {"maxReplicas": 99}})
    kubectl.run("patch", "hpa", "reader", "--type=merge", "-p", patch)
    eventually(maximum_of(kubectl), lambda now: now == 4, 20, "an edit is undone")

    kubectl.apply(under("None", replicas=3))
    eventually(lambda: kubectl.get("hpa", "reader"), lambda now: now is None, 20, "it is removed")
    assert condition(kubectl, "reader", "ScalingActive") == {}
    assert sizes(kubectl) == [3]


def maximum_of(kubectl: Kubectl) -> Any:
    def look() -> int | None:
        found = kubectl.get("hpa", "reader")
        return found["spec"]["maxReplicas"] if found else None

    return look


def test_without_keda_a_condition_says_what_to_install(
    kubectl: Kubectl, operator: OperatorProcess
) -> None:
    kubectl.apply(under("KEDA", replicas=2))
    wait_serving(kubectl, "reader")
    says(kubectl, "KedaNotInstalled")
    assert operator.is_ready()
    kubectl.apply(under("HPA", replicas=2))
    says(kubectl, "ScalerFailed")


def test_keda_and_a_horizontal_pod_autoscaler_follow_each_other(
    kubectl: Kubectl, later_operator: OperatorProcess
) -> None:
    kubectl.apply(under("KEDA", replicas=2))
    wait_serving(kubectl, "reader")
    made = kubectl.get("scaledobject", "reader")
    assert made is not None
    assert made["spec"]["scaleTargetRef"]["kind"] == "DocParserDeployment"
    assert made["metadata"]["ownerReferences"][0]["controller"] is True
    ready = {"type": "Ready", "status": "True", "reason": "ScaledObjectReady"}
    told = json.dumps({"status": {"conditions": [ready]}})
    kubectl.run(
        "patch", "scaledobject", "reader", "--subresource=status", "--type=merge", "-p", told
    )
    says(kubectl, "Delegated")

    finalizers = json.dumps({"metadata": {"finalizers": ["finalizer.keda.sh/held"]}})
    kubectl.run("patch", "scaledobject", "reader", "--type=merge", "-p", finalizers)
    kubectl.apply(under("HPA", replicas=2))
    says(kubectl, "OldScalerLeaving")
    assert kubectl.get("hpa", "reader") is None
    freed = json.dumps({"metadata": {"finalizers": []}})
    kubectl.run("patch", "scaledobject", "reader", "--type=merge", "-p", freed)
    eventually(lambda: kubectl.get("hpa", "reader"), bool, 20, "the next one comes")
    assert kubectl.get("scaledobject", "reader") is None
    assert sizes(kubectl) == [2]

    kubectl.apply(under("Builtin", replicas=2))
    says(kubectl, "MetricsMissing")
    assert kubectl.get("hpa", "reader") is None


def test_an_operator_outlives_keda(
    cluster: Kubectl, kubectl: Kubectl, later_operator: OperatorProcess
) -> None:
    kubectl.apply(under("KEDA", replicas=1))
    wait_serving(kubectl, "reader")
    eventually(lambda: kubectl.get("scaledobject", "reader"), bool, 20, "it is made")
    remove_scaled_objects(cluster)
    kubectl.apply(under("KEDA", replicas=2))
    says(kubectl, "KedaNotInstalled")
    wait_serving(kubectl, "reader")
    assert sizes(kubectl) == [2]

    # It watches everything else as before, and KEDA once it is back.
    always(later_operator.is_ready, bool, 10, "it stays ready")
    kubectl.run("delete", "pdb", "reader")
    eventually(lambda: kubectl.get("pdb", "reader"), bool, 10, "a child is made again")
    install_scaled_objects(cluster)
    kubectl.run("annotate", "dpd", "reader", "example.org/look=again")
    eventually(lambda: kubectl.get("scaledobject", "reader"), bool, 20, "it is made again")
