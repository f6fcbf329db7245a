"""The parts of `spec` that shape a pod, apart from its scheduling and configuration."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from docparser_api.base import ApiModel, cel, validations
from docparser_api.names import ENV_PREFIX, GROUP
from docparser_api.quantity import Quantity
from docparser_api.scheduling import Labels

ObjectName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"),
]
DataKey = Annotated[
    str, StringConstraints(min_length=1, max_length=253, pattern=r"^[-._a-zA-Z0-9]+$")
]


class LocalReference(ApiModel):
    """An object of the same namespace."""

    name: ObjectName
    """Name of the object."""


class SecretKey(ApiModel):
    """One key of a Secret of the same namespace."""

    name: ObjectName
    """Name of the Secret."""
    key: DataKey
    """Key in the Secret."""


class ConfigMapKey(ApiModel):
    """One key of a ConfigMap of the same namespace."""

    name: ObjectName
    """Name of the ConfigMap."""
    key: DataKey
    """Key in the ConfigMap."""


class EnvSource(ApiModel):
    """Where an environment variable gets its value."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "has(self.secretKeyRef) != has(self.configMapKeyRef)",
                "set exactly one of secretKeyRef and configMapKeyRef",
            )
        )
    )

    secret_key_ref: SecretKey | None = None
    """Key of a Secret."""
    config_map_key_ref: ConfigMapKey | None = None
    """Key of a ConfigMap."""


class EnvVar(ApiModel):
    """One environment variable of the runtime container."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "has(self.value) != has(self.valueFrom)",
                "set exactly one of value and valueFrom",
            ),
            cel(
                f"!self.name.startsWith('{ENV_PREFIX}')",
                f"names that begin with {ENV_PREFIX} belong to the operator; "
                "use spec.runtime, spec.model or spec.auth",
            ),
        )
    )

    name: str = Field(min_length=1, max_length=253, pattern=r"^[-._a-zA-Z][-._a-zA-Z0-9]*$")
    """Name of the variable."""
    value: str | None = Field(None, max_length=32_768)
    """Value in clear text; use `valueFrom` for anything secret."""
    value_from: EnvSource | None = None
    """Source of the value."""


class Auth(ApiModel):
    """Who may call the service."""

    token_secret_ref: SecretKey
    """Key of a Secret that holds the bearer token which clients must send. The key must exist
    before a pod starts."""


class Gpu(ApiModel):
    """GPUs of each pod."""

    count: int = Field(0, ge=0, le=64)
    """GPUs (or slices) per pod."""
    resource_name: str = Field(
        "nvidia.com/gpu",
        max_length=253,
        pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    )
    """Extended resource that the device plugin offers, such as `nvidia.com/gpu` or
    `nvidia.com/mig-1g.10gb`."""


class ResourceClaim(ApiModel):
    """A device claim of Dynamic Resource Allocation."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "has(self.resourceClaimName) != has(self.resourceClaimTemplateName)",
                "set exactly one of resourceClaimName and resourceClaimTemplateName",
            )
        )
    )

    name: str = Field(min_length=1, max_length=63, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    """Name of the claim within the pod."""
    resource_claim_name: ObjectName | None = None
    """ResourceClaim that all pods share."""
    resource_claim_template_name: ObjectName | None = None
    """ResourceClaimTemplate from which each pod gets its own claim."""


ResourceAmounts = dict[str, Quantity]


class Resources(ApiModel):
    """CPU, memory and devices of each pod."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!has(self.limits) || !(self.gpu.resourceName in self.limits)",
                "give GPUs as resources.gpu.count, not in resources.limits",
            ),
            cel(
                "!has(self.requests) || !(self.gpu.resourceName in self.requests)",
                "give GPUs as resources.gpu.count, not in resources.requests",
            ),
        )
    )

    requests: ResourceAmounts | None = Field(None, max_length=16)
    """Amounts that the scheduler sets aside, such as `cpu: 500m` or `memory: 1Gi`."""
    limits: ResourceAmounts | None = Field(None, max_length=16)
    """Amounts that a pod may not exceed."""
    gpu: Gpu = Gpu()
    """GPUs."""
    claims: list[ResourceClaim] | None = Field(None, max_length=16)
    """Devices claimed through Dynamic Resource Allocation."""


class SharedMemory(ApiModel):
    """The memory file system at `/dev/shm`."""

    size_limit: Quantity = "1Gi"
    """Size at which writing fails. What is used counts against the pod's memory limit."""


class Probes(ApiModel):
    """Windows of the three probes. Their paths are fixed; no probe reads a document."""

    startup_timeout_seconds: int = Field(600, ge=10, le=7200)
    """Time from container start until the model must be loaded and self-tested, in seconds."""
    readiness_period_seconds: int = Field(5, ge=1, le=300)
    """Seconds between two readiness probes."""
    liveness_period_seconds: int = Field(10, ge=1, le=300)
    """Seconds between two liveness probes."""
    liveness_failure_threshold: int = Field(6, ge=1, le=100)
    """Failed liveness probes in a row after which the container is restarted."""
    timeout_seconds: int = Field(3, ge=1, le=60)
    """Longest answer time of a probe, in seconds."""


class PodMetadata(ApiModel):
    """Extra labels and annotations of the pods."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                f"!has(self.labels) || self.labels.all(k, !k.startsWith('{GROUP}/') && "
                "!k.startsWith('app.kubernetes.io/'))",
                f"labels that begin with {GROUP}/ or app.kubernetes.io/ belong to the operator; "
                "choose another prefix",
            )
        )
    )

    labels: Labels | None = Field(None, max_length=32)
    """Labels added to the pods."""
    annotations: dict[str, Annotated[str, StringConstraints(max_length=4096)]] | None = Field(
        None, max_length=32
    )
    """Annotations added to the pods."""


PullPolicy = Literal["Always", "IfNotPresent", "Never"]
