"""The health rules of examples/gitops, run by Lua and CEL on statuses of the API's own classes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import celpy
import celpy.adapter
import pytest
import yaml
from docparser_api import names
from docparser_api.status import (
    Condition,
    ConditionType,
    DocParserDeploymentStatus,
    Reason,
)
from lupa.lua51 import LuaRuntime

GITOPS = Path(__file__).parents[3] / "examples" / "gitops"
KEY = f"resource.customizations.health.{names.GROUP}_{names.KIND}"
ARGO = yaml.safe_load((GITOPS / "argocd" / "argocd-cm.yaml").read_text())["data"][KEY]
FLUX = yaml.safe_load((GITOPS / "flux" / "kustomization.yaml").read_text())
FlowsAs = Literal["Current", "Failed", "InProgress"]


def condition(kind: ConditionType, reason: Reason, *, true: bool, of: int = 2) -> Condition:
    return Condition(
        type=kind,
        status="True" if true else "False",
        observed_generation=of,
        last_transition_time="2026-01-01T12:00:00Z",
        reason=reason,
        message=f"because of {reason}",
    )


def ready(*, true: bool = True, reason: Reason | None = None) -> Condition:
    default = Reason.AVAILABLE if true else Reason.INSUFFICIENT_REPLICAS
    return condition(ConditionType.READY, reason or default, true=true)


def moving(reason: Reason) -> tuple[Condition, ...]:
    return (
        condition(ConditionType.PROGRESSING, reason, true=True),
        condition(ConditionType.UP_TO_DATE, reason, true=False),
    )


def ended(reason: Reason) -> tuple[Condition, ...]:
    good = reason == Reason.ROLLOUT_COMPLETE
    return (
        condition(ConditionType.PROGRESSING, reason, true=False),
        condition(ConditionType.UP_TO_DATE, reason, true=good),
    )


def degraded(reason: Reason, *, of: int = 2) -> Condition:
    return condition(ConditionType.DEGRADED, reason, true=True, of=of)


HEALTHY = condition(ConditionType.DEGRADED, Reason.HEALTHY, true=False)
STALE = condition(ConditionType.UP_TO_DATE, Reason.ROLLOUT_COMPLETE, true=True, of=1)
PINNED = (
    condition(ConditionType.PROGRESSING, Reason.ROLLOUT_COMPLETE, true=False),
    condition(ConditionType.UP_TO_DATE, Reason.ROLLED_BACK, true=False),
    condition(ConditionType.ROLLED_BACK, Reason.ROLLED_BACK, true=True),
)
DONE = ended(Reason.ROLLOUT_COMPLETE)
ZERO = ready(true=False, reason=Reason.SCALED_TO_ZERO)


@dataclass(frozen=True)
class Case:
    conditions: tuple[Condition, ...]
    argo: str
    flux: FlowsAs
    observed: int = 2
    deleted: bool = False


CASES = {
    "new": Case((), "Progressing", "InProgress", observed=0),
    "a spec nobody has seen": Case((ready(), STALE), "Progressing", "InProgress", observed=1),
    "a refused spec": Case(
        (degraded(Reason.INVALID_SPEC), STALE), "Degraded", "InProgress", observed=1
    ),
    "an old problem": Case(
        (degraded(Reason.CRASH_LOOP, of=1),), "Progressing", "InProgress", observed=1
    ),
    "rolling out": Case((ready(), *moving(Reason.ROLLING_OUT)), "Progressing", "InProgress"),
    "analysing": Case((ready(), *moving(Reason.ANALYSING)), "Progressing", "InProgress"),
    "retiring": Case((ready(), *moving(Reason.RETIRING)), "Progressing", "InProgress"),
    "paused": Case((ready(), *moving(Reason.PAUSED), HEALTHY), "Suspended", "InProgress"),
    "done": Case((ready(), *DONE, HEALTHY), "Healthy", "Current"),
    "pods are lost": Case((ready(true=False), *DONE), "Progressing", "InProgress"),
    "scaled to zero": Case((ZERO, *DONE), "Healthy", "Current"),
    "failed": Case(
        (ready(), *ended(Reason.ROLLOUT_FAILED), degraded(Reason.ROLLOUT_FAILED)),
        "Degraded",
        "Failed",
    ),
    "failed, with nothing to complain of": Case(
        (ready(), *ended(Reason.ROLLOUT_FAILED)), "Degraded", "Failed"
    ),
    "a problem on the way": Case(
        (ready(), *moving(Reason.ROLLING_OUT), degraded(Reason.IMAGE_PULL_FAILED)),
        "Degraded",
        "InProgress",
    ),
    "rolled back": Case((ready(), *PINNED), "Suspended", "Current"),
    "rolled back, with pods missing": Case(
        (ready(true=False), *PINNED), "Progressing", "InProgress"
    ),
    "deleted": Case((ready(), *DONE), "Progressing", "Current", deleted=True),
}


def body(case: Case) -> dict[str, Any]:
    """Return the object as the API server has it."""
    status = DocParserDeploymentStatus(
        observed_generation=case.observed, conditions=list(case.conditions)
    )
    metadata: dict[str, Any] = {"name": "reader", "generation": 2}
    if case.deleted:
        metadata["deletionTimestamp"] = "2026-01-01T12:00:00Z"
    return {
        "apiVersion": names.API_VERSION,
        "kind": names.KIND,
        "metadata": metadata,
        "spec": {},
        "status": status.model_dump(by_alias=True, exclude_none=True, mode="json"),
    }


def argo_health(found: dict[str, Any]) -> dict[str, str]:
    """Return what Argo CD would show: it runs the rule in Lua 5.1, with the object as `obj`."""
    lua = LuaRuntime(unpack_returned_tuples=False)
    lua.globals()["obj"] = lua.table_from(found, recursive=True)
    health: Any = lua.execute(ARGO)
    return {str(key): str(health[key]) for key in health}


def flux_health(found: dict[str, Any]) -> FlowsAs:
    """Return what Flux would find: its own look at the generation, then failed, then current."""
    if found["status"]["observedGeneration"] != found["metadata"]["generation"]:
        return "InProgress"
    rules = FLUX["spec"]["healthCheckExprs"][0]
    environment = celpy.Environment()
    activation = {key: celpy.adapter.json_to_cel(value) for key, value in found.items()}
    verdicts: tuple[FlowsAs, ...] = ("Failed", "Current")
    for verdict in verdicts:
        rule = environment.program(environment.compile(rules[verdict.lower()]))
        if rule.evaluate(activation):
            return verdict
    return "InProgress"


@pytest.mark.parametrize("what", CASES)
def test_argo_cd(what: str) -> None:
    health = argo_health(body(CASES[what]))
    assert health["status"] == CASES[what].argo
    assert set(health) == {"status", "message"}


@pytest.mark.parametrize("what", CASES)
def test_flux(what: str) -> None:
    assert flux_health(body(CASES[what])) == CASES[what].flux


def test_argo_cd_bears_an_object_without_status() -> None:
    found = {**body(CASES["new"])}
    del found["status"]
    assert argo_health(found)["status"] == "Progressing"


def test_a_message_says_why() -> None:
    health = argo_health(body(CASES["a problem on the way"]))
    assert health["message"] == "ImagePullFailed: because of ImagePullFailed"


def test_the_rules_are_for_our_kind() -> None:
    rule = FLUX["spec"]["healthCheckExprs"][0]
    assert (rule["apiVersion"], rule["kind"]) == (names.API_VERSION, names.KIND)
