"""The kinds of object that the operator reads and writes, and references to them."""

from dataclasses import dataclass
from typing import Any, Final

from docparser_api import names

Manifest = dict[str, Any]
"""A Kubernetes object as JSON."""


@dataclass(frozen=True)
class Kind:
    """A namespaced kind of the Kubernetes API."""

    api_version: str
    kind: str
    plural: str

    @property
    def group(self) -> str:
        """API group; empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """Version within the group."""
        return self.api_version.rpartition("/")[2]

    def path(self, namespace: str | None, name: str | None = None) -> str:
        """Return the URL path of a collection or, with `name`, of an object."""
        root = "/apis" if self.group else "/api"
        parts = [root, self.api_version]
        if namespace is not None:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        if name is not None:
            parts.append(name)
        return "/".join(parts)


DOC_PARSER: Final = Kind(names.API_VERSION, names.KIND, names.PLURAL)
CONTROLLER_REVISION: Final = Kind("apps/v1", "ControllerRevision", "controllerrevisions")
DEPLOYMENT: Final = Kind("apps/v1", "Deployment", "deployments")
SERVICE: Final = Kind("v1", "Service", "services")
SERVICE_ACCOUNT: Final = Kind("v1", "ServiceAccount", "serviceaccounts")
DISRUPTION_BUDGET: Final = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")
NETWORK_POLICY: Final = Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies")
CONFIG_MAP: Final = Kind("v1", "ConfigMap", "configmaps")
SCALER: Final = Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
SCALED_OBJECT: Final = Kind("keda.sh/v1alpha1", "ScaledObject", "scaledobjects")
POD: Final = Kind("v1", "Pod", "pods")
JOB: Final = Kind("batch/v1", "Job", "jobs")
CLAIM: Final = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
NODE: Final = Kind("v1", "Node", "nodes")
HTTP_ROUTE: Final = Kind("gateway.networking.k8s.io/v1", "HTTPRoute", "httproutes")
EVENT: Final = Kind("v1", "Event", "events")
LEASE: Final = Kind("coordination.k8s.io/v1", "Lease", "leases")

CHILDREN: Final = (
    CONTROLLER_REVISION,
    SERVICE_ACCOUNT,
    DISRUPTION_BUDGET,
    NETWORK_POLICY,
    DEPLOYMENT,
    SERVICE,
    CONFIG_MAP,
    JOB,
    SCALER,
    SCALED_OBJECT,
)
"""Kinds that the operator creates for a DocParserDeployment."""

OPTIONAL: Final = frozenset({SCALED_OBJECT})
"""Kinds that a cluster may lack."""

WATCHED_CHILDREN: Final = (*CHILDREN, POD)
"""Kinds whose changes wake a DocParserDeployment up."""

_BY_NAME: Final = {
    (kind.api_version, kind.kind): kind for kind in (DOC_PARSER, *WATCHED_CHILDREN, HTTP_ROUTE)
}


@dataclass(frozen=True, order=True)
class Key:
    """Identifies a DocParserDeployment."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class Ref:
    """Identifies one object of the cluster."""

    kind: Kind
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True)
class Listing:
    """All objects of a kind as they were at one moment.

    Attributes:
        items: the objects.
        version: resourceVersion of that moment; what is newer may be missing.
    """

    items: list[Manifest]
    version: int


def kind_of(manifest: Manifest) -> Kind:
    """Return the kind of `manifest`, one of those that the operator knows."""
    return _BY_NAME[manifest["apiVersion"], manifest["kind"]]


def ref_of(manifest: Manifest) -> Ref:
    """Return the reference of `manifest`."""
    metadata = manifest["metadata"]
    return Ref(kind_of(manifest), metadata["namespace"], metadata["name"])
