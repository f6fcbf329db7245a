"""Specs that cannot be used, refusals of the API server, names that are taken."""

import pytest
from docparser_operator.errors import ApiError
from docparser_operator.kinds import (
    SERVICE,
    Ref,
)
from docparser_operator.reconcile import REFUSED_RETRY_SECONDS
from support.world import World
from unit.operator.reconcile_case import LONG, PARSER, a_settled_world


def test_a_spec_that_cannot_be_used_is_reported_and_what_runs_goes_on() -> None:
    world = a_settled_world()
    world.apply(PARSER.with_spec(resources={"limits": {"cpu": -1}}))
    world.settle(LONG)
    degraded = world.condition("Degraded")
    assert (degraded["status"], degraded["reason"]) == ("True", "InvalidSpec")
    assert "resources.limits.cpu" in degraded["message"]
    assert world.condition("Ready")["observedGeneration"] == 1
    assert world.capacity() == 2
    world.apply(PARSER)
    world.settle(LONG)
    assert world.condition("Degraded")["status"] == "False"


def test_values_of_a_spec_that_cannot_be_used_are_not_repeated() -> None:
    world = World()
    world.apply(PARSER.with_spec(env=[{"name": "A", "value": {"secret": "hunter2"}}]))
    world.settle(LONG)
    assert "hunter2" not in str(world.parser()["status"])


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ('is forbidden: User "x" cannot patch resource "services"', "Forbidden"),
        ("exceeded quota: q", "QuotaExceeded"),
        ('admission webhook "w" denied the request', "AdmissionDenied"),
    ],
)
def test_a_refusal_becomes_a_condition_and_ends_with_its_cause(message: str, reason: str) -> None:
    world = World()
    world.cluster.refuse = lambda _verb, ref: (
        ApiError(403, message) if ref.kind == SERVICE else None
    )
    world.apply(PARSER)
    world.settle()
    assert world.condition("Degraded")["reason"] == reason
    assert message in world.condition("Degraded")["message"]
    assert world.parser()["status"]["observedGeneration"] == 0
    written = len(world.cluster.writes)
    world.settle(10 * REFUSED_RETRY_SECONDS)
    tries = [write for write in world.cluster.writes[written:] if write.ref.kind == SERVICE]
    assert world.cluster.writes[written:] == tries
    assert len(tries) <= 10
    world.cluster.refuse = lambda _verb, _ref: None
    world.settle(REFUSED_RETRY_SECONDS)
    assert world.condition("Degraded")["status"] == "False"
    assert world.condition("Ready")["status"] == "True"


def test_a_namespace_that_ends_is_left_in_peace() -> None:
    world = World()
    words = (
        "is forbidden: unable to create new content in namespace a because it is being terminated"
    )
    world.cluster.refuse = lambda verb, _ref: ApiError(403, words) if verb == "apply" else None
    world.apply(PARSER)
    world.settle(LONG)
    assert len(world.cluster.writes) == 1
    assert not world.parser().get("status")


def test_a_name_that_is_taken_is_reported_until_it_is_free() -> None:
    world = World()
    foreign = world.cluster.submit(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "reader", "namespace": "default"},
            "spec": {"selector": {"app": "else"}},
        }
    )
    world.apply(PARSER)
    world.settle(100)
    assert world.condition("NameConflict")["status"] == "True"
    assert world.condition("Ready")["reason"] == "NameConflict"
    assert world.cluster.objects[Ref(SERVICE, "default", "reader")] == foreign
    written = len(world.cluster.writes)
    world.settle(300)
    assert world.cluster.writes[written:] == []
    world.cluster.remove(Ref(SERVICE, "default", "reader"))
    world.settle(REFUSED_RETRY_SECONDS)
    assert world.condition("NameConflict")["status"] == "False"
    assert world.condition("Ready")["status"] == "True"
