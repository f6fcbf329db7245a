"""What is the case about capacity, weights and rollback, as conditions without times. Pure."""

from typing import Final

from docparser_api.autoscaling import ScalingReason
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import ConditionType, Reason

from docparser_operator.delegation import delegation
from docparser_operator.finding import Finding
from docparser_operator.gpu_fit import fits_gpu
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.plan import Plan
from docparser_operator.pods import Pod
from docparser_operator.rollback_check import rollback_ready
from docparser_operator.weights import init_outcome

_BLIND: Final = {
    ScalingReason.METRICS_MISSING: Reason.METRICS_MISSING,
    ScalingReason.METRICS_OLD: Reason.METRICS_OLD,
    ScalingReason.PAUSED: Reason.PAUSED,
    ScalingReason.SCHEDULE_INVALID: Reason.SCHEDULE_INVALID,
}
"""Why an autoscaler does nothing."""
_LIMITED: Final = {
    ScalingReason.AT_MAXIMUM: Reason.AT_MAXIMUM,
    ScalingReason.CLUSTER_FULL: Reason.CLUSTER_FULL,
}
"""Why it asks for fewer pods than are needed."""


def more_findings(
    parser: DocParserDeployment, plan: Plan, observed: Observed
) -> tuple[Finding, ...]:
    """Return all findings of this module that apply."""
    weights, scaling = weights_verified(plan, observed), scaling_active(parser, plan, observed)
    return (
        capacity_available(plan, observed),
        *_present(weights),
        rolled_back(parser, plan),
        rollback_ready(parser, observed, plan.previous, plan.around.capacity),
        *_present(scaling),
        *_present(fits_gpu(parser, plan)),
    )


def _present(finding: Finding | None) -> tuple[Finding, ...]:
    return () if finding is None else (finding,)


def scaling_active(parser: DocParserDeployment, plan: Plan, observed: Observed) -> Finding | None:
    """Return whether the autoscaler knows the demand and follows it; None without one."""
    kind, found = ConditionType.SCALING_ACTIVE, parser.status.autoscaling
    other = delegation(parser, observed, plan.around, plan.decision.rollout)
    if other is not None or found is None:
        return other
    if found.reason in _BLIND:
        return Finding(kind, "False", _BLIND[found.reason], found.message)
    reason = _LIMITED.get(found.reason, Reason.DEMAND_MEASURED)
    if reason == Reason.DEMAND_MEASURED:
        words = f"the demand is known; {found.desired_replicas} pods are asked for"
        return Finding(kind, "True", reason, words)
    return Finding(kind, "True", reason, found.message)


def capacity_available(plan: Plan, observed: Observed) -> Finding:
    """Return whether the pods that the target still needs find free GPUs."""
    kind, decision = ConditionType.CAPACITY_AVAILABLE, plan.decision
    fitting = plan.fitting
    if fitting is None:
        words = "no pod needs a GPU, or the nodes may not be looked at"
        return Finding(kind, "True", Reason.NO_GPU_NEEDED, words)
    size = decision.sizes.get(plan.target.hash, 0)
    missing = size - observed.scheduled_count(plan.target.hash)
    if missing > fitting:
        words = f"{missing} more pods need GPUs, {fitting} would find them free"
        return Finding(kind, "False", Reason.INSUFFICIENT_GPUS, words)
    if decision.rollout.in_place and decision.rollout.completed_at is None:
        words = "pods are replaced in place, so that no more GPUs are needed"
        return Finding(kind, "True", Reason.CAPACITY_FREE, words)
    return Finding(kind, "True", Reason.CAPACITY_FREE, "the pods that are wanted find free GPUs")


def weights_verified(plan: Plan, observed: Observed) -> Finding | None:
    """Return whether the weights of the target are what their manifest says; None without any."""
    kind = ConditionType.WEIGHTS_VERIFIED
    weights = plan.target.shape.get("model", {}).get("weights")
    if weights is None:
        return None
    if (refusal := _claim_refusal(weights, plan.around.access_modes)) is not None:
        return Finding(kind, "False", Reason.VOLUME_NOT_USABLE, refusal)
    pods = [pod for pod in observed.pods if pod.revision == plan.target.hash]
    name = f"weights {weights['version']} of revision {plan.target.number}"
    for pod in pods:
        outcome = init_outcome(pod)
        if outcome is not None and outcome.failure is not None:
            return Finding(kind, "False", Reason.WEIGHTS_INVALID, f"{name}: {outcome.failure}")
    if any(_is_verified(pod) for pod in pods):
        return Finding(kind, "True", Reason.WEIGHTS_VERIFIED, f"{name} are what they should be")
    return Finding(kind, "Unknown", Reason.WEIGHTS_PENDING, f"{name} were not verified yet")


def rolled_back(parser: DocParserDeployment, plan: Plan) -> Finding:
    """Return whether an annotation keeps spec's revision from serving."""
    kind, choice = ConditionType.ROLLED_BACK, plan.choice
    if choice.refusal is not None:
        return Finding(kind, "False", choice.refusal.reason, choice.refusal.message)
    if choice.is_rolled_back:
        words = f"revision {plan.target.number} runs instead of {choice.wanted.number}, as asked"
        words += "; remove the annotation docparser.dev/rollback-to or change spec to end it"
        return Finding(kind, "True", Reason.ROLLED_BACK, words)
    words = "the revision of spec is to serve"
    if parser.status.rollback is not None and choice.rollback is not None:
        words += "; spec has changed since the rollback, which has ended"
    return Finding(kind, "False", Reason.NOT_ROLLED_BACK, words)


def _claim_refusal(weights: Manifest, access_modes: frozenset[str] | None) -> str | None:
    """Return why the claim of the cache cannot be shared as spec says; None if it can."""
    claim = weights.get("cache", {}).get("persistentVolumeClaim", {})
    said = claim.get("accessMode", "ReadWriteMany")
    if access_modes is None or said in access_modes or said.startswith("ReadWriteOnce"):
        return None
    found = ", ".join(sorted(access_modes))
    return f"claim {claim['claimName']} has access mode {found}, but spec says {said}"


def _is_verified(pod: Pod) -> bool:
    outcome = init_outcome(pod)
    return outcome is not None and outcome.failure is None
