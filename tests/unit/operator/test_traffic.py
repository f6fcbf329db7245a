"""Where requests go."""

from typing import Any

import pytest
from docparser_api import names
from docparser_api.status import Reason, RolloutStatus
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.situation import Decision
from docparser_operator.traffic import route, route_problem, services, superfluous_services
from support.builders import a_parser
from unit.operator.rollout_case import ago

PLAIN = a_parser().built()
ROUTED = a_parser().with_spec(service={"gateway": {"httpRoute": "front"}}).built()
OURS = {"name": "reader", "port": 80}


def decision(*, stepping: bool = False, weight: int = 0, failed: bool = False) -> Decision:
    rollout = RolloutStatus(
        revision="new",
        started_at=ago(60),
        weight=weight,
        failed_at=ago(1) if failed else None,
    )
    return Decision("old", None if stepping else "old", {}, (), rollout, stepping=stepping)


def a_route(*refs: dict[str, Any]) -> Manifest:
    return {"metadata": {"name": "front"}, "spec": {"rules": [{"backendRefs": list(refs)}]}}


def split(weight: int) -> Manifest:
    canary = {"name": "reader-canary", "port": 80, "weight": weight}
    return a_route(OURS | {"weight": 100 - weight}, canary)


def selected(manifests: list[Manifest]) -> dict[str, str]:
    """Return the revision that each Service selects, by name."""
    return {
        m["metadata"]["name"]: m["spec"]["selector"].get(names.LABEL_REVISION, "all")
        for m in manifests
    }


def test_one_service_is_for_everyone() -> None:
    assert selected(services(PLAIN, decision(), "new", {}, Observed())) == {"reader": "old"}


def test_while_a_revision_is_tried_out_each_side_has_a_service() -> None:
    assert selected(services(PLAIN, decision(stepping=True), "new", {}, Observed())) == {
        "reader": "all",
        "reader-canary": "new",
        "reader-stable": "old",
    }


SERVICES = Observed(
    manifests=tuple(
        {"kind": kind, "metadata": {"name": name}}
        for kind, name in (
            ("Service", "reader"),
            ("Service", "reader-canary"),
            ("Service", "reader-stable"),
            ("Deployment", "reader-canary"),
        )
    )
)
GONE = {"reader-canary", "reader-stable"}
LEFT = {
    "it is tried out": (decision(stepping=True), set()),
    "nothing is tried out": (decision(), GONE),
    "it was given up": (decision(failed=True), GONE),
    "it was given up and serves still": (decision(failed=True, weight=30), set()),
}


@pytest.mark.parametrize("name", LEFT)
def test_the_services_of_the_sides_go_once_nobody_needs_them(name: str) -> None:
    made, gone = LEFT[name]
    found = superfluous_services(PLAIN, SERVICES, made)
    assert {ref.name for ref in found} == gone
    assert {ref.kind.kind for ref in found} <= {"Service"}


ROUTES: dict[str, tuple[Decision, Manifest | None, list[Manifest]]] = {
    "a first share": (decision(stepping=True, weight=25), a_route(OURS), [split(25)]),
    "no share yet": (decision(stepping=True), a_route(OURS), [split(0)]),
    "the share is as it should be": (decision(stepping=True, weight=25), split(25), []),
    "somebody has changed it": (decision(stepping=True, weight=25), split(50), [split(25)]),
    "the end": (decision(weight=100), split(50), [a_route(OURS | {"weight": 1})]),
    "after the end": (decision(weight=100), a_route(OURS | {"weight": 1}), []),
    "given up": (decision(failed=True), split(50), [a_route(OURS | {"weight": 1})]),
    "given up and serving still": (decision(failed=True, weight=50), split(50), []),
    "it cannot split": (decision(stepping=True, weight=25), a_route({"name": "other"}), []),
    "there is none": (decision(stepping=True, weight=25), None, []),
}


@pytest.mark.parametrize("name", ROUTES)
def test_the_route_is_written_only_when_it_is_to_change(name: str) -> None:
    made, present, written = ROUTES[name]
    assert route(ROUTED, made, present) == written


def test_without_a_gateway_no_route_is_written() -> None:
    assert route(PLAIN, decision(stepping=True, weight=25), None) == []
    assert route_problem(PLAIN, None) is None


def test_what_is_wrong_with_a_route_is_said() -> None:
    assert route_problem(ROUTED, a_route(OURS)) is None
    for present, words in (
        (None, "HTTPRoute front of this namespace"),
        (a_route({"name": "other"}), "no backendRef to the Service reader"),
    ):
        found = route_problem(ROUTED, present)
        assert found is not None
        assert found.reason == Reason.GATEWAY_NOT_USABLE
        assert words in found.message
