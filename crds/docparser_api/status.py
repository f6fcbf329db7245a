"""`DocParserDeployment.status`, with the closed list of condition reasons."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from docparser_api.autoscaling import AutoscalingStatus
from docparser_api.base import ApiModel
from docparser_api.rollout_status import (
    TOLERANT,
    AnalysisStatus,
    Measurement,
    RequestStatus,
    RollbackStatus,
    RolloutPause,
    RolloutStatus,
    Timestamp,
    Verdict,
)

__all__ = [
    "AnalysisStatus",
    "Condition",
    "ConditionType",
    "DocParserDeploymentStatus",
    "Measurement",
    "Reason",
    "RequestStatus",
    "RollbackStatus",
    "RolloutPause",
    "RolloutStatus",
    "Timestamp",
    "Verdict",
]


class ConditionType(StrEnum):
    """The conditions of a DocParserDeployment."""

    READY = "Ready"
    PROGRESSING = "Progressing"
    DEGRADED = "Degraded"
    NAME_CONFLICT = "NameConflict"
    UP_TO_DATE = "UpToDate"
    CAPACITY_AVAILABLE = "CapacityAvailable"
    WEIGHTS_VERIFIED = "WeightsVerified"
    ROLLED_BACK = "RolledBack"
    ROLLBACK_READY = "RollbackReady"
    SCALING_ACTIVE = "ScalingActive"
    FITS_GPU = "FitsGPU"


class Reason(StrEnum):
    """Every reason that a condition may give."""

    AVAILABLE = "Available"
    SCALED_TO_ZERO = "ScaledToZero"
    INSUFFICIENT_REPLICAS = "InsufficientReplicas"
    NO_REVISION = "NoRevisionReady"
    ROLLOUT_COMPLETE = "RolloutComplete"
    ROLLING_OUT = "RollingOut"
    RETIRING = "RetiringOldRevision"
    WAITING_FOR_OLD_PODS = "WaitingForOldPods"
    ROLLOUT_FAILED = "RolloutFailed"
    HEALTHY = "Healthy"
    INVALID_SPEC = "InvalidSpec"
    IMAGE_PULL_FAILED = "ImagePullFailed"
    CONTAINER_CONFIG_INVALID = "ContainerConfigInvalid"
    CRASH_LOOP = "CrashLoop"
    OUT_OF_MEMORY = "OutOfMemory"
    UNSCHEDULABLE = "Unschedulable"
    POD_CREATION_FAILED = "PodCreationFailed"
    QUOTA_EXCEEDED = "QuotaExceeded"
    ADMISSION_DENIED = "AdmissionDenied"
    FORBIDDEN = "Forbidden"
    API_ERROR = "ApiError"
    NAME_CONFLICT = "NameConflict"
    NO_CONFLICT = "NoConflict"
    PAUSED = "Paused"
    ANALYSING = "Analysing"
    ABORTED = "Aborted"
    ANALYSIS_FAILED = "AnalysisFailed"
    TOO_MANY_RESTARTS = "TooManyRestarts"
    DEADLINE_EXCEEDED = "ProgressDeadlineExceeded"
    INVALID_REQUEST = "InvalidRequest"
    ROLLED_BACK = "RolledBack"
    NOT_ROLLED_BACK = "NotRolledBack"
    REVISION_NOT_FOUND = "RevisionNotFound"
    REVISION_NOT_USABLE = "RevisionNotUsable"
    CAPACITY_FREE = "CapacityFree"
    NO_GPU_NEEDED = "NoGpuNeeded"
    INSUFFICIENT_GPUS = "InsufficientGpus"
    WEIGHTS_VERIFIED = "Verified"
    WEIGHTS_PENDING = "WeightsPending"
    WEIGHTS_INVALID = "WeightsInvalid"
    VOLUME_NOT_USABLE = "VolumeNotUsable"
    NO_PREVIOUS_REVISION = "NoPreviousRevision"
    ROLLBACK_CHECKED = "RollbackChecked"
    ROLLBACK_CHECK_PENDING = "RollbackCheckPending"
    ROLLBACK_CHECK_FAILED = "RollbackCheckFailed"
    ROLLBACK_CHECK_DISABLED = "RollbackCheckDisabled"
    GATEWAY_NOT_USABLE = "GatewayNotUsable"
    DEMAND_MEASURED = "DemandMeasured"
    AT_MAXIMUM = "AtMaximum"
    CLUSTER_FULL = "ClusterFull"
    METRICS_MISSING = "MetricsMissing"
    METRICS_OLD = "MetricsOld"
    SCHEDULE_INVALID = "ScheduleInvalid"
    FITS = "Fits"
    DOES_NOT_FIT = "DoesNotFit"
    GPU_MEMORY_UNKNOWN = "GpuMemoryUnknown"
    DELEGATED = "Delegated"
    SCALER_PENDING = "ScalerPending"
    SCALER_FAILED = "ScalerFailed"
    SCALER_LEAVING = "OldScalerLeaving"
    KEDA_MISSING = "KedaNotInstalled"


class Condition(ApiModel):
    """One observation about the object, as the Kubernetes API conventions define it."""

    model_config = TOLERANT

    type: ConditionType
    """What is observed: Ready (the Service is backed by all wanted pods of the current revision),
    UpToDate (what serves is what spec asks for, and nothing older is left), Progressing (a rollout
    is under way), Degraded (something needs attention), NameConflict (an object of somebody else
    bears a name that the operator needs), CapacityAvailable (the GPUs that a rollout needs are
    free), WeightsVerified (every byte of the weights is what the manifest says), RolledBack (the
    annotation docparser.dev/rollback-to is in force), RollbackReady (the previous revision was
    tried out and can come back), ScalingActive (the autoscaler knows the demand and follows
    it), FitsGPU (model, cache and work fit into the smallest GPU; only of engines that need one).
    """
    status: Literal["True", "False", "Unknown"]
    """Whether it holds."""
    observed_generation: int = Field(ge=0)
    """Generation of the spec that this was observed for."""
    last_transition_time: Timestamp
    """When `status` last changed."""
    reason: Reason
    """Why, as one word from a closed list."""
    message: str = Field(max_length=4096)
    """Why, in words, with the cluster's own message where there is one."""


class DocParserDeploymentStatus(ApiModel):
    """What runs. Written by the operator only."""

    model_config = TOLERANT

    observed_generation: int = Field(0, ge=0)
    """Latest generation that was planned and written completely."""
    summary: str = Field("", max_length=512)
    """One line for people, derived from the conditions."""
    replicas: int = Field(0, ge=0)
    """Pods of the current revision."""
    ready_replicas: int = Field(0, ge=0)
    """Pods of the current revision that are ready."""
    available_replicas: int = Field(0, ge=0)
    """Pods of the current revision that have been ready for rollout.minReadySeconds."""
    updated_replicas: int = Field(0, ge=0)
    """Pods of the revision that spec asks for."""
    selector: str = Field("", max_length=512)
    """Label selector of the pods of the current revision, for autoscalers."""
    current_revision: str | None = Field(None, max_length=63)
    """Hash of the revision that serves."""
    current_revision_number: int | None = Field(None, ge=1)
    """Number of the revision that serves."""
    update_revision: str | None = Field(None, max_length=63)
    """Hash of the revision that spec asks for."""
    update_revision_number: int | None = Field(None, ge=1)
    """Number of the revision that spec asks for."""
    endpoint: str | None = Field(None, max_length=512)
    """Address of the Service inside the cluster."""
    rollout: RolloutStatus | None = None
    """The rollout that is under way, or the last one."""
    rollback: RollbackStatus | None = None
    """The rollback that was asked for by annotation."""
    requests: Annotated[
        list[RequestStatus],
        Field(
            max_length=8,
            json_schema_extra={
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
        ),
    ] = []
    """What people ask for by annotations, and who says so."""
    autoscaling: AutoscalingStatus | None = None
    """What the autoscaler decided, and from what."""
    conditions: Annotated[
        list[Condition],
        Field(
            max_length=16,
            json_schema_extra={
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["type"],
            },
        ),
    ] = []
    """What is the case, each with its reason."""
