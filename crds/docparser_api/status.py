"""`DocParserDeployment.status`, with the closed list of condition reasons."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from docparser_api.base import ApiModel

Timestamp = Annotated[
    str,
    StringConstraints(max_length=32),
    Field(json_schema_extra={"format": "date-time"}),
]
"""Time in UTC, RFC 3339, whole seconds."""

# A newer operator may have written fields that this one does not know.
_TOLERANT = ConfigDict(extra="ignore")


class ConditionType(StrEnum):
    """The conditions of a DocParserDeployment."""

    READY = "Ready"
    PROGRESSING = "Progressing"
    DEGRADED = "Degraded"
    NAME_CONFLICT = "NameConflict"
    UP_TO_DATE = "UpToDate"


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


class Condition(ApiModel):
    """One observation about the object, as the Kubernetes API conventions define it."""

    model_config = _TOLERANT

    type: ConditionType
    """What is observed: Ready (the Service is backed by all wanted pods of the current revision),
    UpToDate (what serves is what spec asks for, and nothing older is left), Progressing (a rollout
    is under way), Degraded (something needs attention), NameConflict (an object of somebody else
    bears a name that the operator needs)."""
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


class RolloutStatus(ApiModel):
    """The rollout that is under way, or the last one."""

    model_config = _TOLERANT

    revision: str = Field(max_length=63)
    """Hash of the revision that is rolled out."""
    started_at: Timestamp
    """When it began."""
    progressed_at: Timestamp | None = None
    """When the revision last got more pods, or more available ones than ever before. The
    progress deadline counts from here."""
    available_pods: int = Field(0, ge=0)
    """Most pods of the revision that were available at the same time."""
    pods_wanted: int = Field(0, ge=0)
    """Most pods that the revision was asked to have; 0 once it serves."""
    promoted_at: Timestamp | None = None
    """When the Service moved to it."""
    completed_at: Timestamp | None = None
    """When the old revision was gone."""
    failed_at: Timestamp | None = None
    """When it was given up."""


class DocParserDeploymentStatus(ApiModel):
    """What runs. Written by the operator only."""

    model_config = _TOLERANT

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
    """Ready, UpToDate, Progressing, Degraded, NameConflict."""
