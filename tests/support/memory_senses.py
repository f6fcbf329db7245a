"""What a reconcile asks about the world, answered from memory."""

from dataclasses import dataclass, field, replace

from docparser_api.deployment import DocParserDeployment
from docparser_operator.analysis.evidence import Evidence, Totals
from docparser_operator.analysis.subject import Subject
from docparser_operator.autoscaling.subject import Load, ScalingSubject
from docparser_operator.capacity import Capacity, capacity_of
from docparser_operator.kinds import HTTP_ROUTE, POD, SCALED_OBJECT, Key, Manifest, Ref
from docparser_operator.surroundings import Surroundings
from support.memory_cluster import MemoryCluster
from support.memory_controllers import NODE_NAME

MANY = 1000
QUICK = ((0.1, MANY), (float("inf"), MANY))


def traffic(errors: int = 0) -> Totals:
    """Return the counters of a revision that has answered many requests."""
    return Totals(requests=MANY, server_errors=errors, buckets=QUICK, pages=MANY)


GOOD = Evidence(canary=traffic(), stable=traffic(), seconds=60)
BAD = Evidence(canary=traffic(errors=MANY // 5), stable=traffic(), seconds=60)


def fails_requests(image: str) -> bool:
    """Return whether pods of `image` become ready and then fail requests, as its name says."""
    return "errors" in image


@dataclass
class MemorySenses:
    """Measures whatever a test says.

    Attributes:
        evidence: what every subject is found to be, unless its image `fails_requests`; None while
            nothing was measured.
        gpus: GPUs of the only node; None where nobody looks.
        subjects: what is being measured.
        load: what every autoscaler is told, as if it had just been measured.
        gauged: whose load is being measured.
    """

    cluster: MemoryCluster
    evidence: Evidence | None = None
    gpus: int | None = None
    subjects: dict[Key, Subject] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    gauged: dict[Key, ScalingSubject] = field(default_factory=dict)

    async def surroundings(self, parser: DocParserDeployment) -> Surroundings:
        """Return what matters for `parser` now."""
        key = Key(parser.metadata.namespace, parser.metadata.name)
        gateway = parser.spec.service.gateway
        name = gateway.http_route if gateway else ""
        return Surroundings(
            evidence=self._found(key) if key in self.measured() else None,
            capacity=self._capacity(),
            route=self.cluster.objects.get(Ref(HTTP_ROUTE, key.namespace, name)),
            has_keda=SCALED_OBJECT not in self.cluster.unserved,
            load=self._load(key),
        )

    def _load(self, key: Key) -> Load | None:
        subject = self.gauged.get(key)
        if subject is None:
            return None
        demand = self.load.demand
        fresh = replace(demand, measured_at=self.cluster.clock()) if demand is not None else None
        return replace(self.load, demand=fresh, state=subject.state)

    def _found(self, key: Key) -> Evidence | None:
        canaries = {pod.uid for pod in self.subjects[key].pods if pod.side == "canary"}
        bad = any(
            fails_requests(image_of(pod))
            for pod in self.cluster.of_kind(POD)
            if pod["metadata"]["uid"] in canaries
        )
        return BAD if bad and self.evidence is not None else self.evidence

    def _capacity(self) -> Capacity | None:
        if self.gpus is None:
            return None
        node = {
            "metadata": {"name": NODE_NAME},
            "spec": {},
            "status": {
                "allocatable": {"nvidia.com/gpu": str(self.gpus)},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }
        return capacity_of([node], self.cluster.of_kind(POD))

    def measured(self) -> set[Key]:
        """Return what has a canary to be measured."""
        return {
            key
            for key, subject in self.subjects.items()
            if any(pod.side == "canary" for pod in subject.pods)
        }

    def attend(self, key: Key, subject: Subject | None) -> None:
        """Measure `subject` from now on; None ends it."""
        if subject is None:
            self.subjects.pop(key, None)
        else:
            self.subjects[key] = subject

    def gauge(self, key: Key, subject: ScalingSubject | None) -> None:
        """Measure the load of `subject` from now on; None ends it."""
        if subject is None:
            self.gauged.pop(key, None)
        else:
            self.gauged[key] = subject


def image_of(pod: Manifest) -> str:
    """Return the image that a pod, or a pod template, runs."""
    image: str = pod["spec"]["containers"][0]["image"]
    return image


def shares(cluster: MemoryCluster, name: str) -> list[tuple[str, int]]:
    """Return the backends of the first rule of a route, with their weights."""
    route = cluster.objects[Ref(HTTP_ROUTE, "default", name)]
    refs = route["spec"]["rules"][0]["backendRefs"]
    return [(ref["name"], ref.get("weight", 1)) for ref in refs]
