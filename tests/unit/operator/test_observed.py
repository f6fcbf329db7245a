import copy
from typing import Any

import pytest
from docparser_api import names
from docparser_operator.desired.workload import deployment
from docparser_operator.kinds import Manifest
from docparser_operator.observed import observe
from docparser_operator.revisions import controller_revision, wanted_revision
from support.builders import a_parser

PARSER = a_parser().with_replicas(3).built()
REVISION = wanted_revision(PARSER, {})
STATUS = {"observedGeneration": 2, "replicas": 3, "readyReplicas": 2, "availableReplicas": 1}


def a_deployment(generation: int = 2, **status: Any) -> Manifest:
    manifest = copy.deepcopy(deployment(PARSER, REVISION.hash, REVISION.template, 3))
    manifest["metadata"] |= {"uid": "d", "resourceVersion": "5", "generation": generation}
    return {**manifest, "status": {**STATUS, **status}}


def a_pod_of(revision: str, name: str, *, controlled: bool = True, **status: Any) -> Manifest:
    owners = [{"uid": "rs", "controller": True}] if controlled else []
    labels = {names.LABEL_REVISION: revision} if revision else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": labels,
            "ownerReferences": owners,
        },
        "status": status,
    }


READY: dict[str, Any] = {"conditions": [{"type": "Ready", "status": "True"}]}


def test_a_deployment_is_counted_as_its_controller_counts() -> None:
    found = observe(PARSER.metadata, [a_deployment()]).workloads[REVISION.hash]
    assert (found.replicas, found.pods, found.ready, found.available) == (3, 3, 2, 1)
    assert found.current


def test_counts_of_an_older_size_are_no_more_than_pods_that_are_ready_now() -> None:
    pods = [a_pod_of(REVISION.hash, "a", **READY), a_pod_of(REVISION.hash, "b")]
    objects = [a_deployment(3, availableReplicas=3), *pods]
    found = observe(PARSER.metadata, objects).workloads[REVISION.hash]
    assert (found.available, found.current) == (1, False)


def test_a_deployment_is_known_by_its_selector_whatever_its_label_says() -> None:
    manifest = a_deployment()
    manifest["metadata"]["labels"][names.LABEL_REVISION] = "nonsense"
    assert set(observe(PARSER.metadata, [manifest]).workloads) == {REVISION.hash}


def test_why_pods_are_refused_is_kept() -> None:
    refused = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}
    found = observe(PARSER.metadata, [a_deployment(conditions=[refused])])
    assert found.workloads[REVISION.hash].failure == "exceeded quota"


def test_a_refusal_of_an_older_size_is_over() -> None:
    refused = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}
    found = observe(PARSER.metadata, [a_deployment(3, conditions=[refused])])
    assert found.workloads[REVISION.hash].failure is None


@pytest.mark.parametrize("change", ["owner", "name"])
def test_a_copy_or_a_namesakes_child_is_left_out(change: str) -> None:
    manifest = a_deployment()
    if change == "owner":
        manifest["metadata"]["ownerReferences"][0]["uid"] = "predecessor"
    else:
        manifest["metadata"]["name"] = "reader-copy"
    found = observe(PARSER.metadata, [manifest])
    assert (found.workloads, found.manifests) == ({}, ())


def test_a_controller_revision_that_is_not_ours_by_content_is_left_out() -> None:
    stored = controller_revision(PARSER.metadata, REVISION)
    assert set(observe(PARSER.metadata, [stored]).revisions) == {REVISION.hash}
    assert observe(PARSER.metadata, [{**stored, "data": {"spec": {}}}]).revisions == {}


def test_pods_are_counted_by_revision_until_they_are_gone() -> None:
    leaving = a_pod_of("old", "c")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    pods = [a_pod_of("new", "a", **READY), a_pod_of("old", "b"), leaving]
    found = observe(PARSER.metadata, pods)
    assert (found.pod_count("new"), found.foreign_pod_count("new")) == (1, 2)
    assert (found.deleting_count("old"), found.deleting_count("new")) == (1, 0)


@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
def test_a_pod_that_has_ended_holds_nothing(phase: str) -> None:
    assert observe(PARSER.metadata, [a_pod_of("old", "a", phase=phase)]).pods == ()


def test_a_pod_that_was_taken_out_of_its_replica_set_is_its_takers() -> None:
    assert observe(PARSER.metadata, [a_pod_of("", "a", controlled=False)]).pods == ()


def test_a_workload_is_empty_when_size_count_and_pods_are() -> None:
    empty = a_deployment(replicas=0)
    empty["spec"]["replicas"] = 0
    name = REVISION.hash
    assert observe(PARSER.metadata, [empty]).empty_workloads(but=set()) == (name,)
    assert observe(PARSER.metadata, [empty]).empty_workloads(but={name}) == ()
    pod = a_pod_of(name, "a")
    assert observe(PARSER.metadata, [empty, pod]).empty_workloads(but=set()) == ()
