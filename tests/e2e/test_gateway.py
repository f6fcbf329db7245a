import copy
import json
from typing import Any

import pytest
from support.e2e import Deployment
from support.eventually import eventually
from support.gateway_api import install_http_routes
from support.history import History, State
from support.kubectl import Kubectl, Manifest

from .rollouts import canary, canary_spec

STEPS: list[Manifest] = [{"setWeight": 10}, {"pause": {}}, {"setWeight": 75}, {"pause": {}}]
ROUTE: Manifest = {
    "apiVersion": "gateway.networking.k8s.io/v1",
    "kind": "HTTPRoute",
    "metadata": {"name": "readers", "labels": {"team": "billing"}},
    "spec": {
        "hostnames": ["reader.example.org"],
        "parentRefs": [{"name": "public"}],
        "rules": [
            {
                "matches": [{"path": {"type": "PathPrefix", "value": "/v1"}}],
                "timeouts": {"request": "60s"},
                "backendRefs": [{"name": "fake", "port": 80}],
            },
            {"backendRefs": [{"name": "website", "port": 80}]},
        ],
    },
}
Shares = list[tuple[str, int]]


@pytest.fixture
def routed(cluster: Kubectl, kubectl: Kubectl) -> Deployment:
    """A deployment that serves, with a route of a user's to it."""
    install_http_routes(cluster)
    kubectl.run("apply", "--server-side", "-f", "-", stdin=json.dumps(ROUTE))
    fake = Deployment(kubectl, "fake")
    service = {"gateway": {"httpRoute": "readers"}}
    fake.apply(canary_spec(service=service, rollout=canary(STEPS)))
    fake.wait_ready()
    return fake


def test_a_route_moves_with_the_steps_and_is_otherwise_left_alone(
    routed: Deployment, kubectl: Kubectl
) -> None:
    before = kubectl.get("httproute", "readers")
    assert before is not None
    with History(kubectl, "httproutes") as routes, History(kubectl, "services") as services:
        eventually(routes.states, bool, 20, "the watch tells")
        routed.patch({"model": {"name": "two"}})
        at_share(routed, kubectl, 10)
        routed.annotate("promote", "2/1")
        at_share(routed, kubectl, 75)
        routed.annotate("promote", "2/3")
        routed.wait_ready()
        at_rest(kubectl)

        routed.patch({"model": {"name": "three"}})
        at_share(routed, kubectl, 10)
        routed.annotate("abort", "3")
        routed.wait_condition("Progressing", "False", "RolloutFailed")
        at_rest(kubectl)
        told = [shares(state.object) for state in routes.states()]
        changed = [state.object for state in routes.states()]
    assert without_repeats(told) == [
        [("fake", 1)],
        *[[("fake", 100 - weight), ("fake-canary", weight)] for weight in (0, 10, 75)],
        [("fake", 1)],
        *[[("fake", 100 - weight), ("fake-canary", weight)] for weight in (0, 10)],
        [("fake", 1)],
    ]
    assert all(untouched(route) == untouched(before) for route in changed)
    assert_canary_service_outlives_its_share(routes.states(), services.states())


def at_share(routed: Deployment, kubectl: Kubectl, weight: int) -> None:
    """Wait until the canary pauses at this share, which the route has."""
    eventually(routed.status, lambda s: s["rollout"]["weight"] == weight, 60, f"{weight} %")
    routed.wait_condition("Progressing", "True", "Paused")
    found = kubectl.get("httproute", "readers")
    assert found is not None
    assert shares(found) == [("fake", 100 - weight), ("fake-canary", weight)]


def at_rest(kubectl: Kubectl) -> None:
    """Wait until the route is what the user made, and no Service is left of the canary."""
    eventually(
        lambda: shares(kubectl.get("httproute", "readers") or {}),
        lambda found: found == [("fake", 1)],
        30,
        "the canary's backendRef is gone",
    )
    eventually(
        lambda: [service["metadata"]["name"] for service in kubectl.list("services")],
        lambda names: names == ["fake"],
        30,
        "the Services of both sides are gone",
    )


def assert_canary_service_outlives_its_share(routes: list[State], services: list[State]) -> None:
    """A route never refers to a Service that is not there."""
    gone = [state.time for state in services if state.name == "fake-canary" and state.deleted]
    made = [state.time for state in services if state.name == "fake-canary" and not state.deleted]
    named = [state.time for state in routes if len(shares(state.object)) > 1]
    dropped = [state.time for state in routes[1:] if len(shares(state.object)) == 1]
    assert len(gone) == len(dropped) == 2
    assert made[0] <= named[0] + CLOCK_SECONDS
    assert all(rest <= end + CLOCK_SECONDS for rest, end in zip(dropped, gone, strict=True))


CLOCK_SECONDS = 0.2
"""How far two watches may be apart when they tell of what happened."""


def shares(route: Manifest) -> Shares:
    """The backends of the rule that is ours, with their weights."""
    refs = route["spec"]["rules"][0]["backendRefs"]
    return [(ref["name"], ref["weight"]) for ref in refs]


def untouched(route: Manifest) -> Any:
    """The route without the list of backends that the operator may change."""
    spec = copy.deepcopy(route["spec"])
    del spec["rules"][0]["backendRefs"]
    return spec, route["metadata"]["labels"]


def without_repeats(found: list[Shares]) -> list[Shares]:
    """Return `found` without what equals the one before."""
    return [one for i, one in enumerate(found) if i == 0 or one != found[i - 1]]
