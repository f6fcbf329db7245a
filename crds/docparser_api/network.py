"""`spec.networkPolicy`: whom the pods may talk to, and who may talk to them."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from docparser_api.base import ApiModel, cel, validations
from docparser_api.runtime import Cidr
from docparser_api.scheduling import LabelKey, Labels, LabelValue


class PeerRequirement(ApiModel):
    """One expression about a label."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "(self.operator in ['In', 'NotIn']) == has(self.values)",
                "In and NotIn need values, Exists and DoesNotExist have none",
            )
        )
    )

    key: LabelKey
    """Label key."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """Relation of the label to the values."""
    values: list[LabelValue] | None = Field(None, min_length=1, max_length=32)
    """Values for `In` and `NotIn`."""


class PeerSelector(ApiModel):
    """Selects by label; `{}` selects all."""

    match_labels: Labels | None = Field(None, max_length=32)
    """Labels that must be equal."""
    match_expressions: list[PeerRequirement] | None = Field(None, max_length=16)
    """Expressions that must hold."""


class IpBlock(ApiModel):
    """Addresses outside the pod network, such as those of a database or a load balancer."""

    cidr: Cidr
    """Network, such as `10.20.0.0/16`."""
    except_: list[Cidr] | None = Field(None, alias="except", min_length=1, max_length=32)
    """Networks within it that are left out."""


class Peer(ApiModel):
    """Pods or addresses. Both selectors together mean pods of those namespaces."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "has(self.ipBlock) != (has(self.namespaceSelector) || has(self.podSelector))",
                "name either ipBlock or selectors",
            )
        )
    )

    namespace_selector: PeerSelector | None = None
    """Namespaces. Absent: the one of this object."""
    pod_selector: PeerSelector | None = None
    """Pods. Absent: all of those namespaces."""
    ip_block: IpBlock | None = None
    """Addresses."""


class NetworkPort(ApiModel):
    """A port, or a range of them."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!has(self.endPort) || self.endPort >= self.port",
                "endPort must be at least port",
            )
        )
    )

    port: int = Field(ge=1, le=65_535)
    """The port; with endPort, the first one."""
    end_port: int | None = Field(None, ge=1, le=65_535)
    """The last port of a range."""
    protocol: Literal["TCP", "UDP", "SCTP"] = "TCP"
    """Protocol."""


class EgressRule(ApiModel):
    """A destination that the pods need."""

    to: list[Peer] = Field(min_length=1, max_length=16)
    """Where it is; any of these."""
    ports: list[NetworkPort] = Field(min_length=1, max_length=16)
    """Its ports."""


Peers = Annotated[list[Peer], Field(max_length=32)]


class NetworkPolicySpec(ApiModel):
    """NetworkPolicies for all pods of this object: what is not named here is denied.

    They do something only where the cluster's network plugin enforces NetworkPolicies. The operator
    is let in anyway, and names are resolved through port 53 of any address.
    """

    allow_from: Peers | None = None
    """Who may call the service: its pods or, with `topology: Queue`, its gateways. Absent: the pods
    of this namespace. `[]`: nobody."""
    metrics_from: Peers | None = None
    """Who else may reach the port of every pod, workers included, to read metrics. Metrics and
    documents share a port, so that with `topology: Direct` these may call the service, too."""
    egress: Annotated[list[EgressRule], Field(max_length=32)] | None = None
    """What pods with an engine and gateways may reach besides DNS: database, object store, source
    of the weights, callbacks, documents that are named by an address. Absent or `[]`: nothing."""


NETWORK_RULES = (
    cel(
        """!has(self.networkPolicy) || has(self.networkPolicy.egress)
        || !(has(self.queue) || (has(self.model.weights)
        && !has(self.model.weights.source.persistentVolumeClaim)
        && !has(self.model.weights.source.image)))""",
        """networkPolicy lets nothing out, but database, object store or source of the weights must
        be reached: name them in networkPolicy.egress; [] if another NetworkPolicy allows it""",
    ),
)
"""Rules of the spec about what the pods must reach."""
