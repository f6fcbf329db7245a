"""How many pods the autoscaler asks for, as it stands in the status. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from docparser_api.autoscaling import (
    AutoscalingInputs,
    AutoscalingStatus,
    LeadTime,
    Recommendation,
    ScalingReason,
)
from docparser_api.deployment import DocParserDeployment

from docparser_operator.autoscaling.decision import decide
from docparser_operator.autoscaling.lead_times import all_learned, lead_time_of
from docparser_operator.autoscaling.rules import rules
from docparser_operator.autoscaling.schedules import ScheduleError
from docparser_operator.autoscaling.subject import Load, ScalingSubject, is_news
from docparser_operator.autoscaling.values import Decision, Rules, State, Supply, Wish
from docparser_operator.autoscaling.wanted import wanted_replicas
from docparser_operator.clock import timestamp
from docparser_operator.delegation import is_delegated, is_handed_over, superfluous_scalers
from docparser_operator.observed import Observed
from docparser_operator.supply import has_shared_queue, pod_addresses, starts, supply_of
from docparser_operator.surroundings import Surroundings

NOTICE_SECONDS: Final = 10
"""Time from the arrival of a document until it is known here, at most. Gateways tell of it at once;
where none can be asked for that, they count what waits every 2 seconds, by the default of
spec.runtime.tasks.leaseSeconds, and are looked at every 5."""


@dataclass(frozen=True)
class Scaling:
    """What the autoscaler decided.

    Attributes:
        parser: the object, with the decision in its status.
        subject: what is to be measured from now on; None for nothing.
    """

    parser: DocParserDeployment
    subject: ScalingSubject | None = None

    def is_change_of(self, before: DocParserDeployment) -> bool:
        """Return whether another number of pods is asked for than `before`."""
        return wanted_replicas(before) != wanted_replicas(self.parser)


def scaled(
    parser: DocParserDeployment, observed: Observed, around: Surroundings, now: datetime
) -> Scaling:
    """Return `parser` with the decision of the built-in autoscaler, if that decides."""
    spec = parser.spec.autoscaling
    if spec is None or spec.mode == "None":
        return Scaling(_with(parser, None))
    if is_delegated(parser):
        over = is_handed_over(parser, observed, now)
        subject = _measured(parser, rules(spec), observed, around, now)
        return Scaling(_with(parser, None) if over else parser, subject)
    if superfluous_scalers(parser, observed):
        return Scaling(parser)
    known = parser.status.autoscaling
    learned = all_learned(known.lead_times if known else [], starts(parser, observed, around))
    try:
        found = rules(spec)
    except ScheduleError as error:
        return Scaling(_with(parser, _invalid(parser, learned, str(error), now)))
    load = around.load or Load()
    supply = supply_of(parser, observed, around, lead_time_of(learned, _revision(parser)), now)
    decision = decide(
        found, load.state or _state(parser, now), load.demand, load.supply(supply), now
    )
    status = _status(parser, decision, load, load.supply(supply), learned, now)
    subject = ScalingSubject(
        rules=found,
        pods=pod_addresses(observed),
        is_shared=has_shared_queue(parser),
        supply=supply,
        at=now,
        state=decision.state,
        reason=status.reason,
    )
    return Scaling(_with(parser, status), subject)


def _measured(
    parser: DocParserDeployment,
    found: Rules,
    observed: Observed,
    around: Surroundings,
    now: datetime,
) -> ScalingSubject:
    """Return what is measured although others decide: which pods are to go is up to us."""
    return ScalingSubject(
        rules=found,
        pods=pod_addresses(observed),
        is_shared=has_shared_queue(parser),
        supply=supply_of(parser, observed, around, None, now),
        at=now,
        state=State(wanted_replicas(parser)),
        reason=ScalingReason.STEADY,
        decides=False,
    )


def _revision(parser: DocParserDeployment) -> str:
    """Return the revision of which pods are added."""
    return parser.status.current_revision or parser.status.update_revision or ""


def _with(parser: DocParserDeployment, status: AutoscalingStatus | None) -> DocParserDeployment:
    new = parser.status.model_copy(update={"autoscaling": status})
    return parser.model_copy(update={"status": new})


def _state(parser: DocParserDeployment, now: datetime) -> State:
    """Return what the status tells of earlier decisions, as if the last one was just made."""
    known, replicas = parser.status.autoscaling, wanted_replicas(parser)
    if known is None:
        return State(replicas)
    return State(
        replicas=replicas,
        wished=Wish(known.recommended_replicas, now),
        wishes=tuple(
            Wish(one.replicas, datetime.fromisoformat(one.until)) for one in known.recommendations
        ),
        idle_since=datetime.fromisoformat(known.idle_since) if known.idle_since else None,
    )


def _status(
    parser: DocParserDeployment,
    decision: Decision,
    load: Load,
    supply: Supply,
    learned: list[LeadTime],
    now: datetime,
) -> AutoscalingStatus:
    """Return the status: as it is, unless there is news, so that numbers alone are not written."""
    known, state = parser.status.autoscaling, decision.state
    lead = _lead(parser, learned)
    if known and (
        not is_news(known.desired_replicas, known.reason, decision)
        or (load.is_too_early(now) and known.desired_replicas == decision.replicas)
    ):
        return known.model_copy(update=lead)
    return AutoscalingStatus(
        desired_replicas=decision.replicas,
        reason=decision.reason,
        message=decision.message[:1024],
        decided_at=timestamp(now),
        recommended_replicas=decision.recommended,
        inputs=_inputs(decision, load, supply),
        recommendations=[
            Recommendation(replicas=wish.replicas, until=timestamp(wish.until))
            for wish in state.wishes
        ],
        idle_since=timestamp(state.idle_since) if state.idle_since else None,
        **lead,
    )


def _lead(parser: DocParserDeployment, learned: list[LeadTime]) -> dict[str, Any]:
    """Return the fields that tell how long a pod takes."""
    spec, seconds = parser.spec.autoscaling, lead_time_of(learned, _revision(parser))
    sleeps = spec is not None and spec.min_replicas == 0
    return {
        "lead_times": learned,
        "lead_time_seconds": seconds,
        "wake_up_seconds": seconds + NOTICE_SECONDS if sleeps and seconds is not None else None,
    }


def _inputs(decision: Decision, load: Load, supply: Supply) -> AutoscalingInputs:
    demand, rate, vram = load.demand, supply.pages_per_second, supply.vram_used_fraction
    counts = AutoscalingInputs(
        pages_per_minute=None if rate is None else round(60 * rate),
        ready=supply.ready,
        starting=len(supply.starting),
        vram_used_percent=None if vram is None else round(100 * vram),
        schedulable=supply.schedulable,
        min_replicas=decision.least,
        max_replicas=decision.most,
    )
    if demand is None:
        return counts
    return counts.model_copy(
        update={
            "measured_at": timestamp(demand.measured_at),
            "queued_pages": round(demand.queued_pages),
            "running_pages": round(demand.running_pages),
            "oldest_wait_seconds": round(demand.oldest_wait_seconds),
            "arrival_pages_per_minute": round(60 * demand.arrival_pages_per_second),
        }
    )


def _invalid(
    parser: DocParserDeployment, learned: list[LeadTime], message: str, now: datetime
) -> AutoscalingStatus:
    """Return the status where the rules cannot be read: the pods stay."""
    known = parser.status.autoscaling
    if known and (known.reason, known.message) == (ScalingReason.SCHEDULE_INVALID, message):
        return known
    return AutoscalingStatus(
        desired_replicas=wanted_replicas(parser),
        reason=ScalingReason.SCHEDULE_INVALID,
        message=message,
        decided_at=timestamp(now),
        lead_times=learned,
    )
