"""What the API server makes of a DocParserDeployment, before any operator sees it."""

import copy
from typing import Any

import pytest
from support.kubectl import Kubectl, KubectlError, Manifest

from .conftest import a_parser

QUEUE = {
    "databaseUrlSecretRef": {"name": "database", "key": "url"},
    "objectStore": {"url": "s3://documents/reader"},
}
FETCHED = {
    "version": "1",
    "source": {"s3": {"bucket": "models"}},
    "manifest": {"sha256": "a" * 64},
}
MOUNTED = {**FETCHED, "source": {"persistentVolumeClaim": {"claimName": "models"}}}
OUT = {"ipBlock": {"cidr": "10.0.0.0/8"}}
NOTHING = {"matchExpressions": [{"key": "app", "operator": "In"}]}
SOMETHING = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["shop"]}]}

REFUSED: dict[str, tuple[Manifest, str, Manifest]] = {
    "an image without a tag": (
        {"image": "example.org/runtime"},
        "name a tag or a digest",
        {"image": "example.org:5000/runtime:1.0"},
    ),
    "the tag latest": (
        {"image": "example.org/runtime:latest"},
        "the tag latest moves",
        {"image": "example.org/runtime:latest@sha256:" + "a" * 64},
    ),
    "a grace period that would kill accepted work": (
        {"terminationGracePeriodSeconds": 404},
        "or accepted work would be killed; raise it, remove it",
        {"terminationGracePeriodSeconds": 405},
    ),
    "a deadline shorter than the start": (
        {"rollout": {"progressDeadlineSeconds": 60}},
        "or a slow start would count as a failure",
        {"rollout": {"progressDeadlineSeconds": 60}, "probes": {"startupTimeoutSeconds": 60}},
    ),
    "GPUs among the limits": (
        {"resources": {"limits": {"nvidia.com/gpu": "1"}}},
        "give GPUs as resources.gpu.count, not in resources.limits",
        {"resources": {"gpu": {"count": 1}}},
    ),
    "GPUs among the requests": (
        {"resources": {"requests": {"nvidia.com/gpu": 1}}},
        "give GPUs as resources.gpu.count, not in resources.requests",
        {"resources": {"requests": {"cpu": 1}}},
    ),
    "a node port of a ClusterIP": (
        {"service": {"nodePort": 30080}},
        "set the type or remove nodePort",
        {"service": {"nodePort": 30080, "type": "NodePort"}},
    ),
    "nothing let out to the database": (
        {"networkPolicy": {}, "queue": QUEUE},
        "name them in networkPolicy.egress",
        {"networkPolicy": {"egress": []}, "queue": QUEUE},
    ),
    "nothing let out to the weights": (
        {"networkPolicy": {}, "model": {"weights": FETCHED}},
        "name them in networkPolicy.egress",
        {"networkPolicy": {}, "model": {"weights": MOUNTED}},
    ),
    "a peer that is two things": (
        {"networkPolicy": {"allowFrom": [{"podSelector": {}, "ipBlock": {"cidr": "10.0.0.0/8"}}]}},
        "name either ipBlock or selectors",
        {"networkPolicy": {"allowFrom": [{"podSelector": {}, "namespaceSelector": {}}]}},
    ),
    "a range of ports that ends before it begins": (
        {"networkPolicy": {"egress": [{"to": [OUT], "ports": [{"port": 5, "endPort": 4}]}]}},
        "endPort must be at least port",
        {"networkPolicy": {"egress": [{"to": [OUT], "ports": [{"port": 5, "endPort": 5}]}]}},
    ),
    "a label that is in nothing": (
        {"networkPolicy": {"metricsFrom": [{"podSelector": NOTHING}]}},
        "In and NotIn need values",
        {"networkPolicy": {"metricsFrom": [{"podSelector": SOMETHING}]}},
    ),
    "two disruption limits": (
        {"disruptionBudget": {"minAvailable": 1, "maxUnavailable": 1}},
        "set minAvailable or maxUnavailable, not both",
        {"disruptionBudget": {"minAvailable": 1}},
    ),
    "a label of the operator": (
        {"podMetadata": {"labels": {"docparser.dev/revision": "mine"}}},
        "belong to the operator; choose another prefix",
        {"podMetadata": {"labels": {"example.org/team": "mine"}}},
    ),
    "a variable of the operator": (
        {"env": [{"name": "DOCPARSER_RUNTIME", "value": "{}"}]},
        "belong to the operator; use spec.runtime, spec.model or spec.auth",
        {"env": [{"name": "MY_DOCPARSER", "value": "x"}]},
    ),
    "a variable with two values": (
        {
            "env": [
                {
                    "name": "A",
                    "value": "x",
                    "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}},
                }
            ]
        },
        "set exactly one of value and valueFrom",
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
    ),
    "a source with two keys": (
        {"env": [{"name": "A", "valueFrom": {}}]},
        "set exactly one of secretKeyRef and configMapKeyRef",
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}]},
    ),
    "a claim without a source": (
        {"resources": {"claims": [{"name": "gpu"}]}},
        "set exactly one of resourceClaimName and resourceClaimTemplateName",
        {"resources": {"claims": [{"name": "gpu", "resourceClaimName": "shared"}]}},
    ),
    "an unknown field": (
        {"runtime": {"maxConcurency": 4}},
        'unknown field "spec.runtime.maxConcurency"',
        {"runtime": {"maxConcurrency": 4}},
    ),
    "a number out of bounds": (
        {"runtime": {"maxConcurrency": 0}},
        "should be greater than or equal to 1",
        {"runtime": {"maxConcurrency": 1}},
    ),
    "an unknown engine": (
        {"model": {"engine": "tesseract"}},
        'supported values: "rapidocr", "deepseek-ocr2", "unlimited-ocr", "fake"',
        {"model": {"engine": "rapidocr"}},
    ),
    "a quantity that is none": (
        {"resources": {"limits": {"memory": "4 GB"}}},
        "should match",
        {"resources": {"limits": {"memory": "4Gi"}}},
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_mistake_is_refused_with_advice_and_the_mended_object_is_taken(
    case: str, kubectl: Kubectl
) -> None:
    wrong, words, mended = REFUSED[case]
    with pytest.raises(KubectlError) as refusal:
        kubectl.apply(a_parser("reader", **wrong))
    assert words in str(refusal.value)
    kubectl.apply(a_parser("reader", **mended))


def test_a_name_that_no_service_can_bear_is_refused(kubectl: Kubectl) -> None:
    for name in ("1st", "a" * 53, "with.dot"):
        with pytest.raises(KubectlError, match=r"since the Service bears the same name"):
            kubectl.apply(a_parser(name))
    kubectl.apply(a_parser("a" * 52))


def test_defaults_fill_in(kubectl: Kubectl) -> None:
    kubectl.apply(a_parser("reader"))
    found = kubectl.get("dpd", "reader")
    assert found is not None
    assert found["spec"]["replicas"] == 1
    assert found["spec"]["runtime"]["maxConcurrency"] == 2
    assert found["spec"]["runtime"]["fake"]["pageMilliseconds"] == 0
    assert found["spec"]["rollout"]["rollbackCheck"] == {"enabled": True, "periodSeconds": 21_600}
    assert found["spec"]["rollout"]["strategy"] == "Surge"


def test_every_field_is_explained(cluster: Kubectl) -> None:
    crd = cluster.get("crd", "docparserdeployments.docparser.dev")
    assert crd is not None
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    silent = [path for part in ("spec", "status") for path in undescribed(schema[part], part)]
    assert silent == []
    text = cluster.run("explain", "dpd.spec.runtime.maxConcurrency")
    assert "Documents that a pod reads at the same time" in text


def undescribed(schema: dict[str, Any], path: str) -> list[str]:
    """Return the paths of fields that have no description."""
    found = [] if schema.get("description") else [path]
    for name, child in schema.get("properties", {}).items():
        found += undescribed(child, f"{path}.{name}")
    if "properties" in schema.get("items", {}):
        found += undescribed({**schema["items"], "description": "x"}, f"{path}[]")
    return found


def test_short_name_category_and_columns(kubectl: Kubectl) -> None:
    kubectl.apply(a_parser("reader"))
    assert "reader" in kubectl.run("get", "ocr")
    header = kubectl.run("get", "dpd").splitlines()[0].split()
    assert header == ["NAME", "READY", "REPLICAS", "AVAILABLE", "REVISION", "STATUS", "AGE"]
    kubectl.run("scale", "dpd/reader", "--replicas=7")
    found = kubectl.get("dpd", "reader")
    assert found is not None
    assert found["spec"]["replicas"] == 7


def test_a_mistake_in_an_edit_leaves_the_stored_object_alone(kubectl: Kubectl) -> None:
    good = a_parser("reader")
    kubectl.apply(good)
    before = kubectl.get("dpd", "reader")
    bad = copy.deepcopy(good)
    bad["spec"]["replicas"] = -1
    with pytest.raises(KubectlError):
        kubectl.apply(bad)
    assert kubectl.get("dpd", "reader") == before
