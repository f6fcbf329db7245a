"""What must hold at every moment of the life of a DocParserDeployment."""

from collections import Counter
from dataclasses import dataclass, field

from docparser_api import names
from docparser_operator.kinds import (
    CONTROLLER_REVISION,
    DEPLOYMENT,
    DOC_PARSER,
    POD,
    SERVICE,
    Key,
    Manifest,
    Ref,
)
from docparser_operator.revisions import from_controller_revision
from support.memory_controllers import is_good, ready_pods
from support.memory_senses import fails_requests, image_of
from support.world import World

KEY = Key("default", "reader")
PARENT, FRONT = (Ref(kind, KEY.namespace, KEY.name) for kind in (DOC_PARSER, SERVICE))
WITH_STEPS = {"Canary", "BlueGreen"}
WITHOUT_SURGE = {"InPlace", "Recreate"}


@dataclass
class Historian:
    """Notes at each change of a world, and after each pass, what would break a promise.

    Attributes:
        complaints: what was broken.
        images: image of each revision, by hash.
        numbers: revision to which each number was given.
        proven: bad revisions that may serve: a strategy without analysis let them.
        floor: pods that must be able to serve: the fewest that spec asked for since all did.
        slack: pods of them that may be missing, because pods are replaced in place.
    """

    world: World
    complaints: list[str] = field(default_factory=list)
    images: dict[str, str] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)
    proven: set[str] = field(default_factory=set)
    floor: int = 0
    slack: int = 0
    _sizes: dict[str, int] = field(default_factory=dict)
    _grown: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for manifest in self.world.cluster.of_kind(CONTROLLER_REVISION):
            self._number(manifest)
        self._sizes = self._live()
        self.world.cluster.on_change = self.look
        self.world.on_pass = self.look_after_pass
        self.rest()

    def rest(self) -> None:
        """Take what serves now, when all is at rest, for what must go on serving."""
        replicas = self.world.parser()["spec"]["replicas"]
        self.floor, self.slack = min(replicas, self._capacity()), 0
        self._allow()

    def look(self) -> None:
        """Look at what has just changed."""
        change = self.world.cluster.changes[-1]
        if change.ref == PARENT and not change.deleted:
            self._allow()
            self._judge(change.manifest.get("status", {}).get("currentRevision"), "current")
        elif change.ref == FRONT and not change.deleted:
            selected = change.manifest["spec"]["selector"].get(names.LABEL_REVISION)
            # In place of the last pod, the new one is all that is left to select.
            if not self._in_place():
                self._judge(selected, "all that the Service selects")
                self._look_for_others(change.manifest["spec"]["selector"])
        elif change.ref.kind == CONTROLLER_REVISION and not change.deleted:
            self._number(change.manifest)
        elif change.ref.kind == DEPLOYMENT:
            now = self._live()
            if self._is_untried():
                self.proven |= {name for name, size in now.items() if size and self._fails(name)}
            self._grown |= {name for name, size in now.items() if size > self._sizes.get(name, 0)}
            self._sizes = now
        least = self.floor - self.slack
        if change.ref.kind in {SERVICE, POD} and (serving := self._capacity()) < least:
            self._complain(f"only {serving} good pods serve instead of {least}")

    def look_after_pass(self) -> None:
        """Look at what a pass that came to its end has made of it."""
        live = {name for name, size in self._live().items() if size}
        most = 2 if not self._in_place() else 3  # one that drains keeps what must serve
        if len(live) > most:
            self._complain(f"{len(live)} revisions live: {self._live()}")
        if len(self._grown) > 2:
            self._complain(f"{len(self._grown)} revisions grew in one pass")
        self._grown = set()

    def is_bad(self, revision: str) -> bool:
        """Return whether `revision` is one that must not serve."""
        bad = self._fails(revision) or not is_good(self.images.get(revision, ""))
        return bad and revision not in self.proven

    def _fails(self, revision: str) -> bool:
        return fails_requests(self.images.get(revision, ""))

    def _is_untried(self) -> bool:
        """Return whether, as far as the operator knows, nobody wants revisions to be tried out."""
        seen = self.world.store.resource(KEY)
        return seen is not None and seen["spec"]["rollout"]["strategy"] not in WITH_STEPS

    def _allow(self) -> None:
        """Take the spec as it is now into account."""
        spec = self.world.parser()["spec"]
        rollout = spec["rollout"]
        self.floor = min(self.floor, spec["replicas"])
        if self._in_place():
            self.slack = max(self.slack, rollout.get("maxUnavailable", 1))

    def _in_place(self) -> bool:
        parser = self.world.parser()
        running = parser.get("status", {}).get("rollout") or {}
        strategy = parser["spec"]["rollout"]["strategy"]
        return strategy in WITHOUT_SURGE or bool(running.get("inPlace"))

    def _judge(self, revision: str | None, what: str) -> None:
        """Complain if a bad revision has become `what`, unless nobody wanted it to be tried."""
        if revision is None or not self.is_bad(revision):
            return
        nothing_wanted = self.world.parser()["spec"]["replicas"] == 0
        if self._is_untried() and (self._fails(revision) or nothing_wanted):
            self.proven.add(revision)
        else:
            self._complain(f"{self.images[revision]} has become {what}")

    def _look_for_others(self, selector: dict[str, str]) -> None:
        """Complain if others than the serving revision and the one that is tried get requests."""
        status = self.world.parser().get("status", {})
        known = {status.get("currentRevision"), (status.get("rollout") or {}).get("revision")}
        if names.LABEL_REVISION not in selector and set(self._selected(selector)) - known:
            self._complain(f"{self._selected(selector)} get requests")

    def _number(self, manifest: Manifest) -> None:
        revision = from_controller_revision(manifest)
        self.images[revision.hash] = image_of(revision.template)
        for seen in revision.observations:
            last = max(self.numbers, default=0)
            known = self.numbers.setdefault(seen.number, revision.hash)
            if known != revision.hash:
                self._complain(f"number {seen.number} is given twice")
            if seen.number not in self.numbers and seen.number < last:
                self._complain(f"number {seen.number} comes after {last}")

    def _live(self) -> dict[str, int]:
        """Return the pods that each revision is asked to have."""
        return {
            d["metadata"]["labels"][names.LABEL_REVISION]: d["spec"]["replicas"]
            for d in self.world.cluster.of_kind(DEPLOYMENT)
        }

    def _capacity(self) -> int:
        """Return how many pods that are known to be good get requests.

        Those of a revision that is tried out do not count, unless they take the place of others.
        """
        service = self.world.cluster.objects.get(FRONT)
        if service is None:
            return 0
        selector = service["spec"]["selector"]
        revisions = self._selected(selector)
        status = self.world.parser().get("status", {})
        tried = status.get("rollout", {}).get("revision") != status.get("currentRevision")
        if tried and names.LABEL_REVISION not in selector and not self._in_place():
            return revisions[status["currentRevision"]]
        return sum(count for name, count in revisions.items() if not self.is_bad(name))

    def _selected(self, selector: dict[str, str]) -> Counter[str]:
        """Return how many ready pods of each revision a Service with `selector` has."""
        found = ready_pods(self.world.cluster, selector)
        pods = (self.world.cluster.objects[ref] for ref in found)
        return Counter(pod["metadata"]["labels"][names.LABEL_REVISION] for pod in pods)

    def _complain(self, words: str) -> None:
        self.complaints.append(f"{words} (change {len(self.world.cluster.changes)})")
