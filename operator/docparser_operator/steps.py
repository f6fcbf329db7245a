"""The steps of a canary: how far it is, and how many pods and requests that takes. Pure."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from docparser_api.rollout import RolloutSpec, RolloutStep
from docparser_api.status import AnalysisStatus, RolloutPause, RolloutStatus

from docparser_operator.clock import seconds_since, timestamp

ALL = "all"


@dataclass(frozen=True)
class Demand:
    """What a step wants for the new revision.

    Attributes:
        pods: its pods.
        weight: its share of the requests, in percent.
    """

    pods: int
    weight: int


@dataclass(frozen=True)
class Requests:
    """What people ask of the rollout by annotation.

    Attributes:
        paused: whether it must not go on.
        promote: step whose wait is to end, or `all`; None for nothing.
        aborted: whether it is to be given up.
        aborted_by: who says so, for the end of a sentence.
    """

    paused: bool = False
    promote: int | Literal["all"] | None = None
    aborted: bool = False
    aborted_by: str = ""


@dataclass(frozen=True)
class Walk:
    """The steps as they apply to one moment of a rollout.

    Attributes:
        rules: spec.rollout.
        replicas: pods that spec asks for.
        base: pods of the serving revision, by which a share is reckoned.
        exact: whether a gateway splits the requests.
        in_place: whether the new revision's pods take the place of old ones.
        available: available pods of the new revision.
        analysis: what the new revision was found to be; None before anything was measured.
        requests: what people ask for.
        blocked: whether the requests cannot be split as wanted.
        now: the time.
    """

    rules: RolloutSpec
    replicas: int
    base: int
    exact: bool
    in_place: bool
    available: int
    analysis: AnalysisStatus | None
    requests: Requests
    blocked: bool
    now: datetime

    @property
    def steps(self) -> list[RolloutStep]:
        """The steps."""
        return self.rules.steps or []

    def demand(self, index: int) -> Demand:
        """Return what step `index` wants; after the last one, all pods and the latest share."""
        if self.rules.strategy == "BlueGreen":
            return Demand(self.replicas, 0)
        pods, weight = 0, 0
        for step in self.steps[: index + 1]:
            if step.set_weight is not None:
                weight = step.set_weight
                pods = _pods_for(weight, self.base, alone=self.exact or self.in_place)
            if step.set_replicas is not None:
                pods = step.set_replicas
        if index >= len(self.steps):
            return Demand(self.replicas, weight)
        return Demand(min(pods, self.replicas) if self.replicas else 0, weight)

    def advanced(self, rollout: RolloutStatus) -> RolloutStatus:
        """Return `rollout` at the step that it has reached by now."""
        digest = _digest(self.steps)
        same = rollout.steps_hash == digest
        index = min(rollout.step_index, len(self.steps)) if same else 0
        started = _past(rollout.step_started_at, self.now) if same else None
        # With no pod wanted, nothing can be tried out.
        while self.replicas and index < len(self.steps):
            if started is None and self.available >= self.demand(index).pods:
                started = timestamp(self.now)
            if self.blocked or self.requests.paused or not self._is_done(index, started):
                break
            index, started = index + 1, None
        changes = {
            "steps": len(self.steps),
            "steps_hash": digest,
            "step_index": index,
            "step_started_at": started,
            "pause": self._pause(rollout.pause, index, started),
        }
        return rollout.model_copy(update=changes)

    def seconds_left(self, rollout: RolloutStatus) -> float | None:
        """Return when the present step may end without an event; None if it cannot."""
        if rollout.step_index >= len(self.steps) or rollout.step_started_at is None:
            return None
        step = self.steps[rollout.step_index]
        passed = seconds_since(rollout.step_started_at, self.now)
        ends = []
        if step.pause is not None and step.pause.duration_seconds is not None:
            ends.append(step.pause.duration_seconds - passed)
        if step.analysis is not None:
            shortest = step.analysis.duration_seconds
            ends += [shortest - passed, shortest + self.rules.analysis.patience_seconds - passed]
        return min((end for end in ends if end > 0), default=None)

    def _is_done(self, index: int, started: str | None) -> bool:
        if self.requests.promote in (ALL, index):
            return True
        if started is None:
            return False
        step, passed = self.steps[index], seconds_since(started, self.now)
        if step.pause is not None:
            length = step.pause.duration_seconds
            return length is not None and passed >= length
        if step.analysis is not None:
            good = self.analysis is not None and self.analysis.verdict == "Pass"
            return good and passed >= step.analysis.duration_seconds
        return True

    def _pause(
        self, old: RolloutPause | None, index: int, started: str | None
    ) -> RolloutPause | None:
        """Return why the rollout waits for a person or a time; None while it works or is done."""
        reason = self._pause_reason(index, started)
        if reason is None or (old is not None and old.reason == reason):
            return old if reason else None
        return RolloutPause(reason=reason, since=timestamp(self.now))

    def _pause_reason(
        self, index: int, started: str | None
    ) -> Literal["Step", "Requested", "Inconclusive"] | None:
        if self.requests.paused:
            return "Requested"
        if started is None:
            return None
        step = self.steps[index]
        if step.pause is not None:
            return "Step"
        if step.analysis is not None:
            longest = step.analysis.duration_seconds + self.rules.analysis.patience_seconds
            return "Inconclusive" if seconds_since(started, self.now) >= longest else None
        return None


def _pods_for(weight: int, base: int, *, alone: bool) -> int:
    """Return how many pods of the new revision carry `weight` percent of the requests, at least 1.

    With a gateway, or in place of others, that is this share of `base`. Beside `base` others every
    pod gets the same share, so it is the p next to p / (p + base) = weight / 100.
    """
    if weight == 0:
        return 0
    if alone or weight == 100:  # noqa: PLR2004 (percent)
        return max(1, round(base * weight / 100))
    return max(1, min(base, round(base * weight / (100 - weight))))


def _digest(steps: list[RolloutStep]) -> str:
    body = [step.model_dump(by_alias=True, exclude_none=True) for step in steps]
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:10]


def _past(time: str | None, now: datetime) -> str | None:
    """Return `time` unless it lies ahead, because another clock wrote it."""
    return time if time is None or seconds_since(time, now) >= 0 else None
