"""`spec.autoscaling` and `status.autoscaling`: how many pods the demand needs."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from docparser_api.base import ApiModel, cel, validations
from docparser_api.rollout_status import TOLERANT, Timestamp
from docparser_api.workload import LocalReference

Mode = Literal["Builtin", "HPA", "KEDA", "None"]
"""Who decides how many pods run."""

Cron = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9A-Z*,/#-]+( [0-9A-Z*,/#-]+){4}$", min_length=9, max_length=128
    ),
]
"""Minute, hour, day of the month, month and day of the week."""


class Schedule(ApiModel):
    """A time of the week or year with bounds of its own."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!has(self.maxReplicas) || self.maxReplicas >= self.minReplicas",
                "maxReplicas of a schedule must be at least its minReplicas",
            )
        )
    )

    name: str = Field(min_length=1, max_length=63, pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")
    """Name, as it is shown in the status."""
    start: Cron
    """When it begins, as five cron fields: minute, hour, day of the month, month and day of the
    week, for example `30 7 * * MON-FRI`. Pods are started a lead time earlier, so that they serve
    by then."""
    duration_seconds: int = Field(ge=60, le=604_800)
    """How long it lasts, in seconds."""
    time_zone: str = Field("UTC", min_length=1, max_length=64, pattern="^[A-Za-z0-9_+/-]+$")
    """IANA name of the zone in which `start` is meant, for example Europe/Berlin."""
    min_replicas: int = Field(1, ge=0, le=1000)
    """Least pods meanwhile. Where schedules overlap, the largest counts; a smaller one than that of
    spec.autoscaling changes nothing."""
    max_replicas: int | None = Field(None, ge=1, le=1000)
    """Most pods meanwhile, instead of those of spec.autoscaling. Where schedules overlap, the
    largest counts."""


class ScalingWindow(ApiModel):
    """How long a wish must last."""

    stabilization_seconds: int = Field(0, ge=0, le=3600)
    """Time in seconds over which wishes are compared: what grows follows the smallest of them,
    what shrinks the largest."""


class Keda(ApiModel):
    """What a ScaledObject of KEDA needs to know."""

    prometheus_address: str = Field(max_length=2048, pattern=r"^https?://[^\s?#]+$")
    """Address of the Prometheus server that KEDA asks, as KEDA reaches it. It needs the recording
    rules of the chart."""
    authentication_ref: LocalReference | None = None
    """TriggerAuthentication of the same namespace with which KEDA proves itself to that server.
    Absent: the server asks for nothing."""


class AutoscalingSpec(ApiModel):
    """How many pods run, and who decides it."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "self.maxReplicas >= self.minReplicas",
                "autoscaling.maxReplicas must be at least autoscaling.minReplicas",
            ),
            cel(
                "self.mode != 'HPA' || self.minReplicas >= 1",
                "autoscaling.minReplicas must be at least 1 with mode HPA, which does not scale "
                "from zero; use KEDA or Builtin",
            ),
            cel(
                "!(self.mode in ['HPA', 'KEDA']) || has(self.pagesPerMinute)",
                "modes HPA and KEDA need autoscaling.pagesPerMinute: from it and "
                "targetWaitSeconds follows how many pages there may be for each pod",
            ),
            cel(
                "self.mode != 'KEDA' || has(self.keda)",
                "mode KEDA needs autoscaling.keda with the address of a Prometheus server",
            ),
            cel(
                "!(self.mode in ['HPA', 'KEDA']) || "
                "(size(self.schedules) == 0 && self.vramHighPercent == 92)",
                "modes HPA and KEDA know no schedules and no vramHighPercent; remove them, or use "
                "mode Builtin",
            ),
        )
    )

    mode: Mode = "Builtin"
    """Who decides. `Builtin`: the operator measures the demand; spec.replicas is the number to
    begin with, and stays as it is. `HPA`, `KEDA`: a HorizontalPodAutoscaler or a ScaledObject,
    which the operator creates and which writes spec.replicas through /scale. `None`: nobody, so
    that spec.replicas counts and the other fields wait for another mode."""
    keda: Keda | None = None
    """What mode KEDA needs; other modes leave it."""
    min_replicas: int = Field(1, ge=0, le=1000)
    """Least pods."""
    max_replicas: int = Field(ge=1, le=1000)
    """Most pods."""
    target_wait_seconds: int = Field(60, ge=1, le=86_400)
    """Longest time that a page should wait before it is read, in seconds."""
    pages_per_minute: int | None = Field(None, ge=1, le=100_000)
    """Pages that one pod reads in a minute, until it was measured. Absent: one pod is added at a
    time until then."""
    idle_seconds: int = Field(600, ge=0, le=604_800)
    """Time without any work, counted from when a pod was ready, after which the last pod goes, in
    seconds. It matters where minReplicas is 0."""
    scale_up: ScalingWindow = ScalingWindow()
    """When pods are added."""
    scale_down: ScalingWindow = ScalingWindow(stabilization_seconds=120)
    """When pods are taken away."""
    vram_high_percent: int = Field(92, ge=1, le=100)
    """Share of the planned GPU memory, in percent, from which pods count as full: while work
    waits for more than half of targetWaitSeconds, none is taken away then, and one is added."""
    schedules: list[Schedule] = Field([], max_length=16)
    """Times with bounds of their own."""


class ScalingReason(StrEnum):
    """Why so many pods are wanted."""

    STEADY = "Steady"
    WORK_WAITS = "WorkWaits"
    ARRIVALS_RISE = "ArrivalsRise"
    DEMAND_FELL = "DemandFell"
    STABILISING = "Stabilising"
    IDLE = "Idle"
    WAKING = "Waking"
    AT_MINIMUM = "AtMinimum"
    AT_MAXIMUM = "AtMaximum"
    CLUSTER_FULL = "ClusterFull"
    VRAM_HIGH = "VramHigh"
    ROLLING_OUT = "RollingOut"
    PAUSED = "Paused"
    METRICS_MISSING = "MetricsMissing"
    METRICS_OLD = "MetricsOld"
    THROUGHPUT_UNKNOWN = "ThroughputUnknown"
    SCHEDULE_INVALID = "ScheduleInvalid"


class Recommendation(ApiModel):
    """A number of pods that was wished for."""

    model_config = TOLERANT

    replicas: int = Field(ge=0)
    """Pods."""
    until: Timestamp
    """When it was last wished for."""


class LeadTime(ApiModel):
    """What it takes from asking for a pod until it serves, as learned from pods."""

    model_config = TOLERANT

    revision: str = Field(max_length=63)
    """Hash of the revision."""
    device: str = Field("", max_length=128)
    """Class of the GPU; empty without one."""
    seconds: int = Field(ge=0)
    """Time until it is ready, in seconds. Slow starts count more than quick ones."""
    scheduling_seconds: int = Field(0, ge=0)
    """Part of it until a node was found, in seconds."""
    preparing_seconds: int = Field(0, ge=0)
    """Part of it until images were pulled and weights were fetched and verified, in seconds."""
    loading_seconds: int = Field(0, ge=0)
    """Part of it for loading the model and warming up, in seconds."""
    samples: int = Field(ge=1)
    """Pods from which it was learned."""
    latest: Timestamp
    """When the last of them became ready."""


class AutoscalingInputs(ApiModel):
    """What a decision was made from."""

    model_config = TOLERANT

    measured_at: Timestamp | None = None
    """When the demand was measured."""
    queued_pages: int = Field(0, ge=0)
    """Pages that waited."""
    running_pages: int = Field(0, ge=0)
    """Pages that were being read."""
    oldest_wait_seconds: int = Field(0, ge=0)
    """How long the oldest of them had waited, in seconds."""
    arrival_pages_per_minute: int = Field(0, ge=0)
    """Pages that arrived in a minute."""
    pages_per_minute: int | None = Field(None, ge=0)
    """Pages that one pod reads in a minute."""
    ready: int = Field(0, ge=0)
    """Pods that served."""
    starting: int = Field(0, ge=0)
    """Pods that were on their way."""
    vram_used_percent: int | None = Field(None, ge=0)
    """GPU memory in use, as share of what is planned, in percent, of the fullest pod."""
    schedulable: int | None = Field(None, ge=0)
    """More pods for which GPUs were free; absent where that does not matter or is not known."""
    min_replicas: int = Field(0, ge=0)
    """Least pods at that time."""
    max_replicas: int = Field(0, ge=0)
    """Most pods at that time."""


class AutoscalingStatus(ApiModel):
    """What the autoscaler decided, and from what. Written when the decision changes."""

    model_config = TOLERANT

    desired_replicas: int = Field(ge=0)
    """Pods that should run."""
    reason: ScalingReason
    """Why, as one word."""
    message: str = Field("", max_length=1024)
    """Why, in words."""
    decided_at: Timestamp
    """When this was decided."""
    recommended_replicas: int = Field(0, ge=0)
    """Pods that the demand alone would need."""
    inputs: AutoscalingInputs = AutoscalingInputs()
    """What it was decided from."""
    recommendations: Annotated[list[Recommendation], Field(max_length=32)] = []
    """Earlier wishes that still count."""
    idle_since: Timestamp | None = None
    """Since when nothing has been left to read."""
    lead_time_seconds: int | None = Field(None, ge=0)
    """Time from asking for a pod of this revision until it serves, in seconds."""
    wake_up_seconds: int | None = Field(None, ge=0)
    """Time from the arrival of a document until it is read where no pod runs, in seconds: that of
    a pod, and 10 until the document is noticed. Only where no pod may run."""
    lead_times: Annotated[list[LeadTime], Field(max_length=16)] = []
    """What was learned of each revision, the latest last."""
