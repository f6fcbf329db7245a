"""What a plan depends on besides the object and its children."""

from dataclasses import dataclass

from docparser_operator.analysis.evidence import Evidence
from docparser_operator.autoscaling.subject import Load
from docparser_operator.capacity import Capacity
from docparser_operator.kinds import Manifest


@dataclass(frozen=True)
class Surroundings:
    """What else was looked at for one DocParserDeployment.

    Attributes:
        evidence: what was measured of both revisions; None before anything was.
        capacity: the GPUs of the cluster; None when they are not known or do not matter.
        route: the HTTPRoute that spec.service.gateway names; None without a gateway.
        access_modes: what the claim of the weights' cache permits; None without one, or where it is
            not known.
        has_keda: whether the cluster knows ScaledObjects; asked only where one is wanted.
        load: what the autoscaler has measured; None before it has.
        operator_namespace: where the operator runs; told only where NetworkPolicies let it in.
        neighbours: claim and directory of weights that other objects of the namespace need.
    """

    evidence: Evidence | None = None
    capacity: Capacity | None = None
    route: Manifest | None = None
    neighbours: frozenset[tuple[str, str]] = frozenset()
    access_modes: frozenset[str] | None = None
    has_keda: bool = False
    operator_namespace: str | None = None
    load: Load | None = None
