"""The parts of a pod's scheduling that a user may set, typed as Kubernetes names them."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from docparser_api.base import ApiModel

LabelKey = Annotated[str, StringConstraints(min_length=1, max_length=317)]
LabelValue = Annotated[str, StringConstraints(max_length=63)]
ShortText = Annotated[str, StringConstraints(max_length=253)]
Labels = dict[str, LabelValue]


class Toleration(ApiModel):
    """Lets pods run on nodes with a matching taint."""

    key: LabelKey | None = None
    """Taint key; absent with operator `Exists` tolerates every taint."""
    operator: Literal["Exists", "Equal"] | None = None
    """How the value is compared. Default: `Equal`."""
    value: LabelValue | None = None
    """Taint value, for operator `Equal`."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Taint effect; absent matches all effects."""
    toleration_seconds: int | None = Field(None, ge=0)
    """Seconds that a pod stays after a `NoExecute` taint appears; absent means for ever."""


class SelectorRequirement(ApiModel):
    """One expression of a selector."""

    key: LabelKey
    """Label key."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """Relation of the label to the values."""
    values: list[ShortText] | None = Field(None, max_length=64)
    """Values for `In`, `NotIn`, `Gt` and `Lt`."""


class LabelSelector(ApiModel):
    """Selects pods by label."""

    match_labels: Labels | None = Field(None, max_length=32)
    """Labels that must be equal."""
    match_expressions: list[SelectorRequirement] | None = Field(None, max_length=32)
    """Expressions that must hold."""


class NodeSelectorTerm(ApiModel):
    """Requirements that one node must meet together."""

    match_expressions: list[SelectorRequirement] | None = Field(None, max_length=32)
    """Requirements on the node's labels."""
    match_fields: list[SelectorRequirement] | None = Field(None, max_length=32)
    """Requirements on the node's fields, such as `metadata.name`."""


class NodeSelector(ApiModel):
    """Alternative terms, of which one must match."""

    node_selector_terms: list[NodeSelectorTerm] = Field(min_length=1, max_length=32)
    """The terms; any one is enough."""


class PreferredNode(ApiModel):
    """A wish for nodes."""

    weight: int = Field(ge=1, le=100)
    """Weight of the wish, 1 to 100."""
    preference: NodeSelectorTerm
    """The nodes that are wished for."""


class NodeAffinity(ApiModel):
    """Which nodes may, and which should, run the pods."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    """Nodes that may run the pods."""
    preferred_during_scheduling_ignored_during_execution: list[PreferredNode] | None = Field(
        None, max_length=32
    )
    """Nodes that should run the pods."""


class PodAffinityTerm(ApiModel):
    """Pods to be near to, or away from, and how far near reaches."""

    label_selector: LabelSelector | None = None
    """The other pods."""
    topology_key: LabelKey
    """Node label whose value makes a place, such as `topology.kubernetes.io/zone`."""
    namespaces: list[ShortText] | None = Field(None, max_length=32)
    """Namespaces of the other pods. Default: this one."""
    namespace_selector: LabelSelector | None = None
    """Namespaces of the other pods, by label."""


class WeightedPodAffinityTerm(ApiModel):
    """A wish for nearness or distance."""

    weight: int = Field(ge=1, le=100)
    """Weight of the wish, 1 to 100."""
    pod_affinity_term: PodAffinityTerm
    """The other pods and the place."""


class PodAffinity(ApiModel):
    """Pods to be near to, or (as `podAntiAffinity`) away from."""

    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] | None = Field(
        None, max_length=32
    )
    """Terms that must hold."""
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] | None = (
        Field(None, max_length=32)
    )
    """Terms that should hold."""


class Affinity(ApiModel):
    """Nearness of the pods to nodes and to other pods."""

    node_affinity: NodeAffinity | None = None
    """Nodes to run on."""
    pod_affinity: PodAffinity | None = None
    """Pods to be near to."""
    pod_anti_affinity: PodAffinity | None = None
    """Pods to be away from."""


class TopologySpreadConstraint(ApiModel):
    """How evenly the pods spread over zones or nodes."""

    max_skew: int = Field(1, ge=1)
    """Largest difference in pods between two places."""
    topology_key: LabelKey
    """Node label whose value makes a place."""
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"] = "ScheduleAnyway"
    """What happens when the spread cannot be kept."""
    label_selector: LabelSelector | None = None
    """Pods that are counted. Default: the pods of the same revision."""


class Scheduling(ApiModel):
    """Where the pods run."""

    node_selector: Labels | None = Field(None, max_length=32)
    """Labels that a node must have."""
    tolerations: list[Toleration] | None = Field(None, max_length=32)
    """Taints that the pods tolerate."""
    affinity: Affinity | None = None
    """Nearness to nodes and other pods."""
    topology_spread_constraints: list[TopologySpreadConstraint] | None = Field(None, max_length=16)
    """Spread over zones or nodes."""
    runtime_class_name: ShortText | None = None
    """RuntimeClass of the pods, such as `nvidia`."""
    priority_class_name: ShortText | None = None
    """PriorityClass of the pods."""
