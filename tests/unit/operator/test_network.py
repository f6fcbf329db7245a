"""Who reaches whom once spec.networkPolicy is there, pod by pod."""

from typing import Any

import pytest
from docparser_api import names
from docparser_operator.desired.gateways import gateways
from docparser_operator.desired.network import SUFFIXES, network_policies
from docparser_operator.kinds import DEPLOYMENT, NETWORK_POLICY, Manifest, Ref
from docparser_operator.revisions import wanted_revision
from support.builders import ParserBuilder
from support.policies import Place, of_template, passes, selecting
from support.world import World
from unit.operator.reconcile_case import LONG, PARSER
from unit.operator.test_helper_jobs import checking, golden, pruning

QUEUE = {
    "databaseUrlSecretRef": {"name": "database", "key": "url"},
    "objectStore": {"url": "s3://documents/reader"},
}
QUEUED = PARSER.with_spec(topology="Queue", queue=QUEUE)
DATABASE = Place(address="10.1.2.3")
EGRESS = [{"to": [{"ipBlock": {"cidr": "10.1.2.0/24"}}], "ports": [{"port": 5432}]}]
TEAM = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "papers"}}}
PROMETHEUS = {"podSelector": {"matchLabels": {"app": "prometheus"}}}


def shape(parser: ParserBuilder) -> tuple[Manifest, Manifest]:
    """Return content and pod template of the revision that `parser` asks for."""
    revision = wanted_revision(parser.built(), {})
    return revision.shape, revision.template


def gateway() -> Place:
    return of_template(gateways(QUEUED.built(), *shape(QUEUED))[1]["spec"]["template"])


PODS = {
    "direct": of_template(shape(PARSER)[1]),
    "canary": of_template(shape(PARSER.with_image("example.org/runtime:2"))[1]),
    "worker": of_template(shape(QUEUED)[1]),
    "gateway": gateway(),
    "golden": of_template(golden()["spec"]["template"]),
    "check": of_template(checking(PARSER)["spec"]["template"]),
    "prune": of_template(pruning()["spec"]["template"]),
}
OTHERS = {
    "client": Place({"app": "shop"}),
    "stranger": Place({"app": "shop"}, "papers"),
    "operator": Place({names.LABEL_APP: names.MANAGER}, "operators"),
    "impostor": Place({names.LABEL_APP: names.MANAGER}, "papers"),
    "prometheus": Place({"app": "prometheus"}),
    "outside": Place(address="203.0.113.9"),
}
SERVING = {"direct", "canary", "worker", "gateway"}


def policies(**wanted: Any) -> list[Manifest]:
    parser = PARSER.with_spec(networkPolicy=wanted).built()
    return network_policies(parser, "operators")


def reached_by(source: str, found: list[Manifest]) -> set[str]:
    """Return the pods whose port `source` reaches."""
    caller = {**OTHERS, **PODS}[source]
    return {name for name, pod in PODS.items() if passes(found, caller, pod, names.PORT)}


DOORS = {"direct", "canary", "gateway"}
CALLERS: dict[str, tuple[dict[str, Any], dict[str, set[str]]]] = {
    "by itself": (
        {},
        {
            "client": DOORS,
            "stranger": set(),
            "operator": SERVING,
            "impostor": set(),
            "outside": set(),
            "golden": {"direct", "canary"},
            "prune": set(),
            "worker": set(),
        },
    ),
    "a namespace may call": ({"allowFrom": [TEAM]}, {"client": set(), "stranger": DOORS}),
    "nobody may call": (
        {"allowFrom": []},
        {"client": set(), "operator": SERVING, "golden": {"direct", "canary"}},
    ),
    "addresses may call": (
        {"allowFrom": [{"ipBlock": {"cidr": "203.0.113.0/24", "except": ["203.0.113.9/32"]}}]},
        {"client": set(), "outside": set()},
    ),
    "metrics are read": (
        {"allowFrom": [], "metricsFrom": [PROMETHEUS]},
        {"client": set(), "prometheus": SERVING},
    ),
}


@pytest.mark.parametrize("case", CALLERS)
def test_who_may_call_whom(case: str) -> None:
    wanted, expected = CALLERS[case]
    found = policies(**wanted)
    assert {source: reached_by(source, found) for source in expected} == expected


def test_no_pod_takes_calls_on_another_port() -> None:
    found = policies()
    assert not [n for n, pod in PODS.items() if passes(found, OTHERS["client"], pod, 22)]


LEAVING = {
    "direct": {"database", "names"},
    "canary": {"database", "names"},
    "worker": {"database", "names"},
    "gateway": {"database", "names"},
    "golden": {"names"},
    "check": set(),
    "prune": set(),
}


@pytest.mark.parametrize("pod", LEAVING)
def test_a_pod_gets_out_where_it_has_to(pod: str) -> None:
    found = policies(egress=EGRESS)
    elsewhere = Place(address="198.51.100.1")
    ways = {
        "database": passes(found, PODS[pod], DATABASE, 5432),
        "another port": passes(found, PODS[pod], DATABASE, 22),
        "names": passes(found, PODS[pod], elsewhere, 53, "UDP"),
        "elsewhere": passes(found, PODS[pod], elsewhere, 443),
    }
    assert {way for way, is_open in ways.items() if is_open} == LEAVING[pod]


def test_nothing_but_names_is_reached_without_egress() -> None:
    found = policies()
    assert not [n for n, pod in PODS.items() if passes(found, pod, DATABASE, 5432)]


@pytest.mark.parametrize("pod", PODS)
def test_each_pod_has_one_policy(pod: str) -> None:
    assert len(selecting(policies(), PODS[pod])) == 1


def test_pods_of_others_are_left_alone() -> None:
    other = of_template(shape(PARSER.named("other"))[1])
    assert selecting(policies(), other) == []
    assert selecting(policies(), OTHERS["client"]) == []


def test_an_unknown_namespace_of_the_operator_is_any() -> None:
    found = network_policies(PARSER.with_spec(networkPolicy={}).built(), None)
    assert reached_by("impostor", found) == SERVING


def test_they_stand_before_the_first_pod_and_go_with_the_field() -> None:
    world = World()
    world.apply(PARSER.with_spec(networkPolicy={}))
    world.settle(LONG)
    first = [write.ref.kind for write in world.cluster.writes if write.ref is not None]
    assert first.index(NETWORK_POLICY) < first.index(DEPLOYMENT)
    wanted = {Ref(NETWORK_POLICY, "default", f"reader{suffix}") for suffix in SUFFIXES}
    assert {ref for ref in world.cluster.objects if ref.kind == NETWORK_POLICY} == wanted
    world.apply(PARSER)
    world.settle(LONG)
    assert world.cluster.of_kind(NETWORK_POLICY) == []


def test_they_roll_no_pods() -> None:
    plain, isolated = PARSER, PARSER.with_spec(networkPolicy={"egress": EGRESS})
    assert wanted_revision(plain.built(), {}) == wanted_revision(isolated.built(), {})


def test_one_that_others_made_stays() -> None:
    world = World()
    theirs = Ref(NETWORK_POLICY, "default", "reader")
    body = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}
    metadata = {"namespace": "default", "name": "reader"}
    world.cluster.submit({**body, "metadata": metadata, "spec": {"podSelector": {}}})
    world.apply(PARSER)
    world.settle(LONG)
    assert world.cluster.objects[theirs]["spec"] == {"podSelector": {}}
