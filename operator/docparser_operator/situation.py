"""What a decision about a rollout depends on, and what it says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from docparser_api.rollout import RolloutSpec
from docparser_api.status import AnalysisStatus, Reason, RolloutPause, RolloutStatus

from docparser_operator.clock import seconds_since, timestamp
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.problems import Problem
from docparser_operator.steps import Requests


@dataclass(frozen=True)
class Failure:
    """Why a revision is given up."""

    reason: Reason
    message: str


@dataclass(frozen=True)
class Situation:
    """What the decision depends on.

    Attributes:
        replicas: pods that spec asks for.
        rules: spec.rollout.
        target: revision that is to serve.
        target_failed: whether that revision was given up before.
        stable: revision that serves; None before the first one was available.
        rollout: status.rollout as last written.
        straight: whether the target comes without steps.
        exact: whether something splits the requests: a route, or the gateways of a queue.
        route: the gateway's route as it is, if there is one.
        unsplit: why that route cannot split them, if so.
        fitting: how many more pods of the target find free GPUs; None where that does not matter.
        exchangeable: whether the target may find GPUs once pods of other revisions are gone.
        analysis: what the target was found to be; None before anything was measured.
        measured: whether pods of the target were looked at since this operator began.
        reachable: whether requests get to the target once it serves: with a queue, gateways must
            be there first.
        requests: what people ask for by annotation.
        remaining: what pods have left to read, by uid.
    """

    replicas: int
    rules: RolloutSpec
    target: str
    target_failed: bool
    stable: str | None
    rollout: RolloutStatus | None
    observed: Observed
    now: datetime
    straight: bool = False
    exact: bool = False
    route: Manifest | None = None
    unsplit: Problem | None = None
    fitting: int | None = None
    exchangeable: bool = True
    analysis: AnalysisStatus | None = None
    measured: bool = True
    reachable: bool = True
    requests: Requests = field(default_factory=Requests)
    remaining: Mapping[str, float] = field(default_factory=dict)

    @property
    def has_steps(self) -> bool:
        """Whether the target goes through steps: those under way keep to what they began with."""
        running = self.rollout
        straight = self.straight
        if running is not None and running.revision == self.target:
            straight = running.without_steps
        return self.rules.strategy in {"Canary", "BlueGreen"} and not straight

    @property
    def serves_target(self) -> bool:
        """Whether the target gets requests beside the stable revision."""
        running = self.rollout
        return running is not None and running.revision == self.target and running.weight > 0

    def available(self, revision: str) -> int:
        """Return how many pods of `revision` are available."""
        workload = self.observed.workloads.get(revision)
        return workload.available if workload else 0

    def is_able(self, revision: str | None) -> bool:
        """Return whether `revision` has the pods to take all requests."""
        least = max(1, self.replicas - self.rules.max_unavailable)
        return revision is not None and self.available(revision) >= least

    def size(self, revision: str) -> int:
        """Return how many pods `revision` is asked to have."""
        workload = self.observed.workloads.get(revision)
        return workload.replicas if workload else 0

    def weight(self, serving: str | None) -> int:
        """Return the target's share of the requests, in percent, if the Service selects `serving`.

        Without a revision the Service selects the pods of all, each of which gets the same share.
        """
        if serving is not None:
            return 100 if serving == self.target else 0
        ours = self.available(self.target)
        total = sum(workload.available for workload in self.observed.workloads.values())
        return round(100 * ours / total) if total else 0

    def progressed(self, rollout: RolloutStatus, size: int) -> RolloutStatus:
        """Return `rollout` with its last progress towards `size` pods.

        A time that lies ahead comes from another clock.
        """
        available = self.available(self.target)
        last = rollout.progressed_at
        update: dict[str, object] = {"pods_wanted": max(size, rollout.pods_wanted)}
        if (
            last is None
            or seconds_since(last, self.now) < 0
            or available > rollout.available_pods
            or size > self.size(self.target)
        ):
            update["progressed_at"] = timestamp(self.now)
            update["available_pods"] = max(available, rollout.available_pods)
        return rollout.model_copy(update=update)

    def seconds_to_deadline(self, rollout: RolloutStatus, size: int) -> float | None:
        """Return when the target's missing pods become a failure; None if none is missing."""
        if self.stable is None or (size <= self.available(self.target) and self.reachable):
            return None
        since = seconds_since(rollout.progressed_at or rollout.started_at, self.now)
        return max(0.0, self.rules.progress_deadline_seconds - since)

    def requested_pause(self, rollout: RolloutStatus) -> RolloutPause | None:
        """Return the pause that the annotation asks for, if it does."""
        if not self.requests.paused:
            return None
        if rollout.pause is not None and rollout.pause.reason == "Requested":
            return rollout.pause
        return RolloutPause(reason="Requested", since=timestamp(self.now))


@dataclass(frozen=True)
class Decision:
    """What should be.

    Attributes:
        stable: revision that serves from now on.
        serving: revision that the Service selects; None for all revisions.
        sizes: pods of each revision that has, or needs, a Deployment.
        delete: revisions whose empty Deployment can go.
        rollout: status.rollout.
        failure: why the target is given up now; None if it is not.
        requeue_seconds: when to look again without an event.
        waiting_for_pods: pods of other revisions that must be gone before the next step.
        stepping: whether the target goes through its steps.
    """

    stable: str | None
    serving: str | None
    sizes: dict[str, int]
    delete: tuple[str, ...]
    rollout: RolloutStatus
    failure: Failure | None = None
    requeue_seconds: float | None = None
    waiting_for_pods: int = 0
    stepping: bool = False

    @property
    def failed(self) -> bool:
        """Whether the target is given up now."""
        return self.failure is not None
