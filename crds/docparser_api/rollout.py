"""`spec.rollout`: how a new revision takes over from the one that serves."""

from typing import Literal

from pydantic import ConfigDict, Field

from docparser_api.analysis import AnalysisSpec
from docparser_api.base import ApiModel, cel, validations

Strategy = Literal["Surge", "InPlace", "Canary", "BlueGreen", "Recreate"]


class Pause(ApiModel):
    """A stop."""

    duration_seconds: int | None = Field(None, ge=1, le=604_800)
    """How long, in seconds. Absent: until somebody promotes the rollout."""


class AnalysisStep(ApiModel):
    """A wait for the verdict of spec.rollout.analysis."""

    duration_seconds: int = Field(60, ge=0, le=86_400)
    """Shortest time for which the revisions are compared, in seconds, even if all checks pass
    sooner."""


class RolloutStep(ApiModel):
    """One step of a canary: exactly one of its fields is set."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "[has(self.setWeight), has(self.setReplicas), has(self.pause), "
                "has(self.analysis)].filter(x, x).size() == 1",
                "set exactly one of setWeight, setReplicas, pause and analysis in each step",
            )
        )
    )

    set_weight: int | None = Field(None, ge=0, le=100)
    """Share of requests that the new revision gets, in percent. It is exact with service.gateway
    and with topology Queue. Otherwise it is reached by the number of pods; the serving revision
    keeps all of its own, so only 0 to 50 and 100 can be reached."""
    set_replicas: int | None = Field(None, ge=1, le=1000)
    """Pods of the new revision, at most spec.replicas. With service.gateway or topology Queue the
    share stays as it is. Otherwise it follows the pods; before the first `setWeight` it is 0."""
    pause: Pause | None = None
    """Wait, for a time or until somebody promotes the rollout."""
    analysis: AnalysisStep | None = None
    """Wait until all checks of spec.rollout.analysis pass. A check that fails ends the rollout, at
    this step as at any other."""


class RollbackCheck(ApiModel):
    """The trial that the previous revision can come back.

    A Job runs its image, reads its configuration and verifies its weights, without a GPU.
    """

    enabled: bool = True
    """Whether it runs."""
    period_seconds: int = Field(21_600, ge=60, le=604_800)
    """Time between two trials, in seconds."""


class RolloutSpec(ApiModel):
    """How a new revision takes over from the old one."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!has(self.steps) || self.strategy in ['Canary', 'BlueGreen']",
                "steps need strategy Canary or BlueGreen; set the strategy or remove steps",
            ),
            cel(
                # The default of the whole, {}, is checked before its fields get theirs.
                "!has(self.strategy) || self.strategy != 'Canary' || has(self.steps)",
                "strategy Canary needs steps, for example [{setWeight: 10}, {analysis: {}}]",
            ),
            cel(
                "self.strategy != 'BlueGreen' || !has(self.steps) || "
                "self.steps.all(s, has(s.pause) || has(s.analysis))",
                "BlueGreen moves all requests at once; its steps are pause and analysis",
            ),
        )
    )

    strategy: Strategy = "Surge"
    """`Surge` starts the new revision beside the old one and moves the Service once all new pods
    are available. `Canary` goes through `steps`. `BlueGreen` is a Surge that goes through `steps`
    before the Service moves; meanwhile the new pods are reached through the Service
    `<name>-canary`. `InPlace` replaces pods without ever running more than spec.replicas; with one
    replica the service is away meanwhile. `Recreate` removes all old pods first. Where fewer GPUs
    are free than are needed, Surge and Canary go on in place, and BlueGreen waits until
    progressDeadlineSeconds."""
    steps: list[RolloutStep] | None = Field(None, min_length=1, max_length=20)
    """Steps of Canary and BlueGreen. After the last one the new revision gets all its pods, and
    then all requests."""
    analysis: AnalysisSpec = AnalysisSpec()
    """What a new revision is judged by, with Canary and BlueGreen."""
    max_unavailable: int = Field(1, ge=1, le=1000)
    """Pods that are replaced at the same time where pods are replaced in place."""
    min_ready_seconds: int = Field(0, ge=0, le=3600)
    """Seconds that a new pod must be ready before it counts as available."""
    progress_deadline_seconds: int = Field(1200, ge=30, le=86_400)
    """Seconds without progress after which a new revision counts as failed. Its pods are then
    removed, the old revision goes on serving, and the revision is not tried again until spec or
    the annotation docparser.dev/retry changes."""
    scale_down_delay_seconds: int = Field(5, ge=5, le=86_400)
    """Seconds for which the old revision keeps its pods after the Service has moved."""
    rollback_window_revisions: int = Field(3, ge=0, le=100)
    """When spec returns to a revision that served, and no more than so many others have served
    since, it comes back without steps. 0: it goes through them."""
    rollback_check: RollbackCheck = RollbackCheck()
    """The trial that the previous revision can come back."""
