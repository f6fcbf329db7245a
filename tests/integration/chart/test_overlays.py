"""What kustomize makes of the base and its overlays."""

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest
import yaml
from localcluster import build
from localcluster.controlplane import ASSETS_ENV
from support.helm import REPOSITORY, Helm, Manifest, of_kind, one

OVERLAYS = REPOSITORY / "charts/kustomize"
NAMESPACES = {
    "default": "docparser-system",
    "local": "docparser-system",
    "dev": "docparser-dev",
    "prod": "docparser-system",
}
every_overlay = pytest.mark.parametrize("overlay", NAMESPACES)


@cache
def built(overlay: str) -> list[Manifest]:
    """Return the objects of an overlay."""
    own = Path(os.environ.get(ASSETS_ENV, "")) / "kubectl"
    kubectl = own if own.is_file() else build.ensure(["kubectl"]) / "kubectl"
    done = subprocess.run(
        [kubectl, "kustomize", OVERLAYS / overlay], check=True, capture_output=True, text=True
    )
    return list(yaml.safe_load_all(done.stdout))


def pod(objects: list[Manifest]) -> Manifest:
    """Return the operator's pod."""
    found: Manifest = one(objects, "Deployment")["spec"]["template"]["spec"]
    return found


def test_every_overlay_is_tested() -> None:
    assert {folder.name for folder in OVERLAYS.iterdir()} == set(NAMESPACES)


@every_overlay
def test_everything_is_in_one_namespace_that_exists_and_is_restricted(overlay: str) -> None:
    objects = built(overlay)
    namespace = one(objects, "Namespace")["metadata"]
    assert namespace["name"] == NAMESPACES[overlay]
    assert namespace["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    placed = {o["metadata"]["namespace"] for o in objects if "namespace" in o["metadata"]}
    assert placed == {namespace["name"]}
    bindings = of_kind(objects, "RoleBinding") + of_kind(objects, "ClusterRoleBinding")
    assert len(bindings) == 2
    for binding in bindings:
        (subject,) = binding["subjects"]
        assert subject["namespace"] == namespace["name"]
        assert subject["name"] == pod(objects)["serviceAccountName"]


@every_overlay
def test_an_overlay_changes_no_right_and_no_schema(overlay: str) -> None:
    plain, objects = built("default"), built(overlay)
    for kind in ("ClusterRole", "Role"):
        before, after = (
            {role["metadata"]["name"]: role["rules"] for role in of_kind(found, kind)}
            for found in (plain, objects)
        )
        assert after == before
    assert of_kind(objects, "CustomResourceDefinition") == of_kind(
        plain, "CustomResourceDefinition"
    )


@every_overlay
def test_pods_stay_restricted_and_probed(overlay: str) -> None:
    (plain,), (container,) = pod(built("default"))["containers"], pod(built(overlay))["containers"]
    for part in ("securityContext", "startupProbe", "readinessProbe", "livenessProbe", "ports"):
        assert container[part] == plain[part]
    assert pod(built(overlay))["securityContext"] == pod(built("default"))["securityContext"]


def test_for_development_there_is_one_small_replica() -> None:
    objects = built("dev")
    assert one(objects, "Deployment")["spec"]["replicas"] == 1
    (container,) = pod(objects)["containers"]
    assert container["image"] == "docparser.dev/operator:dev"
    assert container["resources"]["limits"] == {"memory": "256Mi"}
    assert {"name": "DOCPARSER_OPERATOR_LOG_LEVEL", "value": "debug"} in container["env"]
    assert len(container["env"]) == 2
    assert of_kind(objects, "PodDisruptionBudget") == []


def test_for_production_there_are_two_that_are_locked_in() -> None:
    objects = built("prod")
    deployment = one(objects, "Deployment")
    assert deployment["spec"]["replicas"] == 2
    assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    labels = deployment["spec"]["template"]["metadata"]["labels"].items()
    assert one(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"].items() <= labels
    policy = one(objects, "NetworkPolicy")["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= labels
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert pod(objects)["priorityClassName"] == "system-cluster-critical"
    (container,) = pod(objects)["containers"]
    assert container["resources"]["requests"] == {"cpu": "200m", "memory": "256Mi"}


def test_the_policies_of_chart_and_overlay_let_the_same_out(chart: Helm) -> None:
    theirs = one(chart.rendered("--set", "networkPolicy.enabled=true"), "NetworkPolicy")
    assert one(built("prod"), "NetworkPolicy")["spec"]["egress"] == theirs["spec"]["egress"]
