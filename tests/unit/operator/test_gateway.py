"""Weights of an HTTPRoute."""

import copy
from typing import Any

import pytest
from docparser_operator.gateway import RouteUnusableError, with_weight
from docparser_operator.kinds import Manifest

OURS: dict[str, Any] = {"name": "reader", "port": 80}
CANARY: dict[str, Any] = {"name": "reader-canary", "port": 80}


def route(*refs: dict[str, Any], **rule: Any) -> Manifest:
    """Return a route with a rule of ours, and another one that is no concern of ours."""
    other = {"backendRefs": [{"name": "other", "port": 80}]}
    rules = [other, {**rule, "backendRefs": list(refs)}]
    return {"metadata": {"name": "front"}, "spec": {"hostnames": ["a.example"], "rules": rules}}


SPLITS = {
    "a first share": ([OURS], 25, [OURS | {"weight": 75}, CANARY | {"weight": 25}]),
    "another share": (
        [OURS | {"weight": 75}, CANARY | {"weight": 25}],
        50,
        [OURS | {"weight": 50}, CANARY | {"weight": 50}],
    ),
    "no requests yet": ([OURS], 0, [OURS | {"weight": 100}, CANARY | {"weight": 0}]),
    "all requests": ([OURS], 100, [OURS | {"weight": 0}, CANARY | {"weight": 100}]),
    "the end": ([OURS | {"weight": 50}, CANARY | {"weight": 50}], None, [OURS | {"weight": 1}]),
    "a kind that is spelled out": (
        [OURS | {"group": "", "kind": "Service"}],
        None,
        [OURS | {"group": "", "kind": "Service", "weight": 1}],
    ),
}


@pytest.mark.parametrize("name", SPLITS)
def test_the_backends_of_our_rule_share_the_requests(name: str) -> None:
    refs, weight, wanted = SPLITS[name]
    given = route(*refs, timeouts={"request": "60s"})
    kept = copy.deepcopy(given)
    assert with_weight(given, "reader", "reader-canary", weight) == route(
        *wanted, timeouts={"request": "60s"}
    )
    assert given == kept


def test_what_else_stands_at_our_backend_goes_with_the_requests() -> None:
    filters = [{"type": "RequestHeaderModifier"}]
    given = route(OURS | {"filters": filters})
    split = with_weight(given, "reader", "reader-canary", 10)["spec"]["rules"][1]["backendRefs"]
    assert [ref["filters"] for ref in split] == [filters, filters]


def test_each_rule_of_ours_is_split() -> None:
    given = route(OURS)
    given["spec"]["rules"].append({"backendRefs": [OURS]})
    rules = with_weight(given, "reader", "reader-canary", 10)["spec"]["rules"]
    assert [len(rule["backendRefs"]) for rule in rules] == [1, 2, 2]


UNUSABLE = {
    "no rule refers to us": route({"name": "other"}),
    "a Service of another namespace": route(OURS | {"namespace": "elsewhere"}),
    "another kind of the same name": route(OURS | {"kind": "InferencePool", "group": "x.io"}),
    "other backends take a part": route(OURS, {"name": "other"}),
    "there are no rules": {"metadata": {"name": "front"}, "spec": {}},
    "only the canary is left": route(CANARY),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_route_that_cannot_split_is_refused_by_name(name: str) -> None:
    with pytest.raises(RouteUnusableError, match="HTTPRoute front"):
        with_weight(UNUSABLE[name], "reader", "reader-canary", 10)
