"""Leaves the number of pods to another autoscaler: which object it takes, and what that says. Pure.

At any time there is at most one such object: the old one is gone before the next one comes, and
before the built-in autoscaler begins.
"""

from datetime import datetime
from typing import Final

from docparser_api.deployment import DocParserDeployment
from docparser_api.status import ConditionType, Reason, RolloutStatus

from docparser_operator.autoscaling.values import Freeze
from docparser_operator.clock import seconds_since
from docparser_operator.desired.scalers import horizontal_pod_autoscaler, scaled_object
from docparser_operator.finding import Finding
from docparser_operator.kinds import SCALED_OBJECT, SCALER, Kind, Manifest, Ref, kind_of, ref_of
from docparser_operator.observed import Observed
from docparser_operator.supply import freeze_of, has_shared_queue
from docparser_operator.surroundings import Surroundings

LEAVING_SECONDS: Final = 2.0
"""How soon it is looked again whether an old object is gone."""
HANDOVER_SECONDS: Final = 60.0
"""Age of a ScaledObject that works from which its numbers count: KEDA makes a
HorizontalPodAutoscaler, which looks every 15 seconds."""
KEDA_SECONDS: Final = 60.0
"""How soon it is looked again whether KEDA was installed."""

_KINDS: Final = {"HPA": SCALER, "KEDA": SCALED_OBJECT}
_WORKS: Final = {SCALER: "ScalingActive", SCALED_OBJECT: "Ready"}
"""The condition by which such an object says that it knows the demand."""


def wanted_scaler(
    parser: DocParserDeployment,
    observed: Observed,
    around: Surroundings,
    rollout: RolloutStatus | None,
) -> tuple[Manifest, ...]:
    """Return the object to apply, if any: not before others are gone, nor what nobody knows.

    Args:
        parser: whose pods it is to count.
        observed: what is there.
        around: whether KEDA is.
        rollout: the rollout as it stands from now on, which takes away some of its freedom.
    """
    rules, kind = parser.spec.autoscaling, _kind(parser)
    if rules is None or kind is None or superfluous_scalers(parser, observed):
        return ()
    if kind == SCALED_OBJECT and not around.has_keda:
        return ()
    render = horizontal_pod_autoscaler if kind == SCALER else scaled_object
    freeze = freeze_of(parser, rollout)
    return (render(parser, rules, freeze, is_shared=has_shared_queue(parser)),)


def superfluous_scalers(parser: DocParserDeployment, observed: Observed) -> tuple[Ref, ...]:
    """Return the objects of other modes that are still there."""
    kind = _kind(parser)
    return tuple(ref_of(found) for found in _scalers(observed) if kind_of(found) != kind)


def is_delegated(parser: DocParserDeployment) -> bool:
    """Return whether another autoscaler is to write spec.replicas."""
    return _kind(parser) is not None


def is_handed_over(parser: DocParserDeployment, observed: Observed, now: datetime) -> bool:
    """Return whether what the other autoscaler wrote counts by now."""
    found = _scaler(parser, observed)
    if found is None or not _says(found, _WORKS[kind_of(found)], "True"):
        return False
    if kind_of(found) == SCALER:
        # It grows in steps: until it is where it wants to be, pods would go and come again.
        return _condition(found, "ScalingLimited").get("reason") != "ScaleUpLimit"
    return seconds_since(found["metadata"]["creationTimestamp"], now) >= HANDOVER_SECONDS


def seconds_to_next_look(
    parser: DocParserDeployment, observed: Observed, around: Surroundings
) -> float | None:
    """Return when to look again although nothing tells of a change; None where something does."""
    if superfluous_scalers(parser, observed):
        return LEAVING_SECONDS
    if _kind(parser) == SCALED_OBJECT and not around.has_keda:
        return KEDA_SECONDS
    return HANDOVER_SECONDS if is_delegated(parser) and parser.status.autoscaling else None


def delegation(
    parser: DocParserDeployment,
    observed: Observed,
    around: Surroundings,
    rollout: RolloutStatus | None,
) -> Finding | None:
    """Return whether another autoscaler does its work; None where there is none to be."""
    kind, condition = _kind(parser), ConditionType.SCALING_ACTIVE
    if left := superfluous_scalers(parser, observed):
        words = f"the number of pods stays until {_name(left[0])} is gone"
        return Finding(condition, "Unknown", Reason.SCALER_LEAVING, words)
    if kind is None:
        return None
    if kind == SCALED_OBJECT and not around.has_keda:
        words = "the cluster knows no ScaledObject of keda.sh/v1alpha1, so spec.replicas stays as "
        words += "it is; install KEDA, or choose another spec.autoscaling.mode"
        return Finding(condition, "False", Reason.KEDA_MISSING, words)
    freeze = freeze_of(parser, rollout)
    if freeze is Freeze.ALL:
        words = "the rollout is paused, so the number of pods stays"
        return Finding(condition, "False", Reason.PAUSED, words)
    found = _scaler(parser, observed)
    return _told(found, freeze) if found is not None else _unknown(kind, parser.metadata.name)


def _told(found: Manifest, freeze: Freeze) -> Finding:
    """Return what the object says of itself; numbers are left out, since they change."""
    condition, name = ConditionType.SCALING_ACTIVE, _name(ref_of(found))
    works = _condition(found, _WORKS[kind_of(found)])
    if not works:
        return _unknown(kind_of(found), found["metadata"]["name"])
    if works["status"] != "True":
        words = f"{name} says {works.get('reason', 'nothing')}; see its conditions"
        return Finding(condition, "False", Reason.SCALER_FAILED, words)
    if freeze is Freeze.SHRINKING:
        words = f"{name} may add pods but take none away while a revision is rolled out"
        return Finding(condition, "True", Reason.ROLLING_OUT, words)
    return Finding(condition, "True", Reason.DELEGATED, f"{name} writes spec.replicas")


def _unknown(kind: Kind, name: str) -> Finding:
    words = f"{kind.kind} {name} has said nothing yet; without its controller it never does"
    return Finding(ConditionType.SCALING_ACTIVE, "Unknown", Reason.SCALER_PENDING, words)


def _kind(parser: DocParserDeployment) -> Kind | None:
    """Return the kind of object that the mode asks for."""
    rules = parser.spec.autoscaling
    return _KINDS.get(rules.mode) if rules is not None else None


def _scalers(observed: Observed) -> list[Manifest]:
    return [m for m in observed.manifests if m["kind"] in {kind.kind for kind in _WORKS}]


def _scaler(parser: DocParserDeployment, observed: Observed) -> Manifest | None:
    """Return the object of the mode, as it is."""
    found = (m for m in _scalers(observed) if kind_of(m) == _kind(parser))
    return next(found, None)


def _name(ref: Ref) -> str:
    return f"{ref.kind.kind} {ref.name}"


def _says(found: Manifest, name: str, status: str) -> bool:
    return bool(_condition(found, name).get("status") == status)


def _condition(found: Manifest, name: str) -> Manifest:
    conditions: list[Manifest] = found.get("status", {}).get("conditions") or []
    return next((c for c in conditions if c["type"] == name), {})
