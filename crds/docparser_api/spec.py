"""`DocParserDeployment.spec`."""

from typing import Literal

from pydantic import ConfigDict, Field

from docparser_api.autoscaling import AutoscalingSpec
from docparser_api.base import ApiModel, cel, validations
from docparser_api.network import NETWORK_RULES, NetworkPolicySpec
from docparser_api.quantity import Quantity
from docparser_api.queue import TOPOLOGY_RULES, Gateways, Queue, Topology
from docparser_api.rollout import RolloutSpec
from docparser_api.runtime import (
    DRAIN_MARGIN_SECONDS,
    TASKS_PATIENCE_SECONDS,
    UPLOAD_TIMEOUT_SECONDS,
    ModelSpec,
    RuntimeConfig,
)
from docparser_api.scheduling import Scheduling
from docparser_api.workload import (
    Auth,
    EnvVar,
    LocalReference,
    ObjectName,
    PodMetadata,
    Probes,
    PullPolicy,
    Resources,
    SharedMemory,
)

_FIXED_SECONDS = UPLOAD_TIMEOUT_SECONDS + DRAIN_MARGIN_SECONDS
"""The part of the longest request that no field changes."""
_LEAVING_SECONDS = TASKS_PATIENCE_SECONDS + DRAIN_MARGIN_SECONDS
"""The part of a worker's farewell that no field changes."""


class PodShape(ApiModel):
    """Every field that shapes a pod: a change of any of them makes a new revision."""

    image: str = Field(
        min_length=1,
        max_length=512,
        json_schema_extra=validations(
            cel(
                "self.contains('@sha256:') || self.matches(':[A-Za-z0-9_][A-Za-z0-9_.-]*$')",
                "name a tag or a digest, for example example.org/docparser-runtime:0.1.0",
            ),
            cel(
                "self.contains('@sha256:') || !self.endsWith(':latest')",
                "the tag latest moves, so a revision could not be restored; "
                "name a version or a digest",
            ),
        ),
    )
    """Image of the runtime, with tag or digest."""
    image_pull_policy: PullPolicy = "IfNotPresent"
    """When the node pulls the image."""
    image_pull_secrets: list[LocalReference] | None = Field(None, max_length=16)
    """Secrets with registry credentials."""
    model: ModelSpec = ModelSpec()
    """What reads the pages."""
    runtime: RuntimeConfig = RuntimeConfig()
    """Limits and behaviour of the service in each pod."""
    resources: Resources = Resources()
    """CPU, memory and devices of each pod."""
    shared_memory: SharedMemory = SharedMemory()
    """Memory file system at `/dev/shm`."""
    scheduling: Scheduling = Scheduling()
    """Where the pods run."""
    probes: Probes = Probes()
    """Windows of startup, readiness and liveness probes."""
    termination_grace_period_seconds: int | None = Field(None, ge=1, le=172_800)
    """Time from a pod's deletion until it is killed, in seconds. Default: lameDuckSeconds +
    queueTimeoutSeconds + requestTimeoutSeconds of spec.runtime, plus 60 for an upload and 10 to
    end. That of the workers of a queue: lameDuckSeconds plus 40, since their tasks go on
    elsewhere."""
    auth: Auth | None = None
    """Access token of the service. Absent: everyone who reaches the Service may call it."""
    env: list[EnvVar] | None = Field(None, max_length=64)
    """Environment variables of the runtime container."""
    pod_metadata: PodMetadata = PodMetadata()
    """Extra labels and annotations of the pods."""
    topology: Topology = "Direct"
    """`Direct`: each pod has HTTP and an engine, and the Service sends requests to the pods.
    `Queue`: the Service sends requests to gateways without GPU, documents wait in `queue`, and
    the pods are workers that read them. A change of the topology takes no steps of a canary."""
    queue: Queue | None = None
    """Where tasks are kept. Needed by `topology: Queue`. With `Direct` the pods keep tasks there,
    too; without it they have none."""


class Gateway(ApiModel):
    """An HTTPRoute of the Gateway API that splits the requests during a canary."""

    http_route: ObjectName
    """Name of an HTTPRoute of the same namespace with a backendRef to the Service. The operator
    adds a backendRef to `<name>-canary` beside it and sets the weights; nothing else of the
    route is touched."""


class ServiceSpec(ApiModel):
    """The Service in front of the pods."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!has(self.nodePort) || self.type != 'ClusterIP'",
                "nodePort needs type NodePort or LoadBalancer; set the type or remove nodePort",
            )
        )
    )

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = "ClusterIP"
    """Type of the Service."""
    port: int = Field(80, ge=1, le=65_535)
    """Port of the Service."""
    node_port: int | None = Field(None, ge=1, le=65_535)
    """Port on every node, for type NodePort and LoadBalancer. Default: the cluster chooses."""
    annotations: dict[str, str] | None = Field(None, max_length=32)
    """Annotations of the Service, for load balancers of a cloud."""
    gateway: Gateway | None = None
    """Route through which a canary gets its exact share. Absent: its share is that of its pods."""


class DisruptionBudget(ApiModel):
    """How many pods a voluntary disruption, such as a node drain, may take."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!(has(self.minAvailable) && has(self.maxUnavailable))",
                "set minAvailable or maxUnavailable, not both",
            )
        )
    )

    min_available: int | None = Field(None, ge=0)
    """Pods that must stay."""
    max_unavailable: int | None = Field(None, ge=0)
    """Pods that may go at the same time. Default, when minAvailable is absent too: 1."""


class DocParserDeploymentSpec(PodShape):
    """What should run."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                f"""!has(self.terminationGracePeriodSeconds) || self.topology == 'Queue'
                || self.terminationGracePeriodSeconds >= self.runtime.lameDuckSeconds
                + self.runtime.queueTimeoutSeconds + self.runtime.requestTimeoutSeconds
                + {_FIXED_SECONDS}""",
                f"""terminationGracePeriodSeconds must be at least runtime.lameDuckSeconds
                + runtime.queueTimeoutSeconds + runtime.requestTimeoutSeconds
                + {_FIXED_SECONDS}, or accepted work would be killed; raise it, remove it,
                or lower those""",
            ),
            cel(
                f"""!has(self.terminationGracePeriodSeconds) || self.topology != 'Queue'
                || self.terminationGracePeriodSeconds
                >= self.runtime.lameDuckSeconds + {_LEAVING_SECONDS}""",
                f"""terminationGracePeriodSeconds must be at least runtime.lameDuckSeconds
                + {_LEAVING_SECONDS} with topology Queue, or a worker could not save the pages
                at hand; raise it or remove it""",
            ),
            *TOPOLOGY_RULES,
            *NETWORK_RULES,
            cel(
                "!has(self.autoscaling) || self.autoscaling.minReplicas >= 1 "
                "|| self.topology == 'Queue'",
                "autoscaling.minReplicas must be at least 1 with topology Direct: without a pod "
                "nobody would see that a document arrives",
            ),
            cel(
                "self.rollout.progressDeadlineSeconds >= self.probes.startupTimeoutSeconds "
                "+ self.rollout.minReadySeconds",
                "rollout.progressDeadlineSeconds must be at least probes.startupTimeoutSeconds "
                "+ rollout.minReadySeconds, or a slow start would count as a failure",
            ),
            cel(
                "has(self.service.gateway) || self.topology == 'Queue' "
                "|| !has(self.rollout.steps) || self.rollout.steps.all("
                "s, !has(s.setWeight) || s.setWeight <= 50 || s.setWeight == 100)",
                "a setWeight from 51 to 99 needs service.gateway or topology Queue; without, the "
                "share is that of the pods, and the serving revision keeps all of its own",
            ),
            cel(
                """!has(self.model.weights)
                || !has(self.model.weights.cache.persistentVolumeClaim)
                || self.model.weights.cache.persistentVolumeClaim.accessMode
                in ['ReadWriteMany', 'ReadOnlyMany']
                || ((has(self.autoscaling) && self.autoscaling.mode != 'None'
                ? self.autoscaling.maxReplicas : self.replicas) <= 1
                && self.rollout.strategy in ['InPlace', 'Recreate'])""",
                """a weights cache with access mode ReadWriteOnce is attached to one node: use a
                ReadWriteMany claim, or at most one replica with rollout.strategy InPlace or
                Recreate""",
            ),
        )
    )

    replicas: int = Field(1, ge=0, le=1000)
    """Pods that should run; with autoscaling.mode Builtin, those to begin with."""
    autoscaling: AutoscalingSpec | None = None
    """How many pods run, as the demand needs them. Absent: spec.replicas."""
    gpu_memory: Quantity | None = None
    """Memory of each GPU, or slice of one, such as 80Gi, where nodes do not tell it. It restarts
    nothing and places no pod: the condition FitsGPU is reckoned with it. Absent: what the labels of
    GPU feature discovery say of the smallest GPU on which the pods may run."""
    gateways: Gateways | None = None
    """The gateways of `topology: Queue`. Absent: two of them."""
    service: ServiceSpec = ServiceSpec()
    """The Service in front of the pods."""
    network_policy: NetworkPolicySpec | None = None
    """NetworkPolicies that shut all pods of this object off from what they do not need. Absent:
    none are made, and traffic is as the namespace's own policies say."""
    disruption_budget: DisruptionBudget = DisruptionBudget()
    """The PodDisruptionBudget of the pods."""
    rollout: RolloutSpec = RolloutSpec()
    """How a new revision takes over."""
    revision_history_limit: int = Field(10, ge=0, le=100)
    """Old revisions that are kept for rollback."""
