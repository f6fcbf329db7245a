"""Revisions: the immutable content of a pod, its number, and how its rollout ended.

A revision is kept as a ControllerRevision. Its content includes the rendered
pod template, so that a rollback restores exactly the pods that ran, whatever
version of the operator renders templates by then.
"""

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from docparser_api import names
from docparser_api.deployment import DocParserDeployment, ObjectMeta
from docparser_api.spec import DocParserDeploymentSpec, PodShape
from pydantic import TypeAdapter, ValidationError

from docparser_operator.desired.metadata import metadata, revision_name
from docparser_operator.desired.pod import pod_template
from docparser_operator.kinds import Manifest

HASH_LENGTH = 10
MAX_OBSERVATIONS = 50
"""Keeps the annotation far from its limit of 256 KiB, however often a spec goes to and fro."""


@dataclass(frozen=True)
class Observation:
    """One time at which the spec asked for a revision.

    Attributes:
        number: number that the revision got then; the highest is the latest.
        generation: generation of the spec.
        resource_version: resourceVersion at which the operator saw it first.
    """

    number: int
    generation: int
    resource_version: str


@dataclass(frozen=True)
class Outcome:
    """How the latest rollout of a revision ended.

    Attributes:
        result: whether it came to serve; Pending while another attempt is under way.
        time: when.
        reason: reason of the condition at that time.
        message: the cluster's own words.
        retry: value of the retry annotation at that time; another value allows a new attempt.
        served: whether an earlier rollout of it ended well.
    """

    result: Literal["Succeeded", "Failed", "Pending"]
    time: str
    reason: str = ""
    message: str = ""
    retry: str = ""
    served: bool = False


_OBSERVATIONS = TypeAdapter(tuple[Observation, ...])
_OUTCOME = TypeAdapter(Outcome)
T = TypeVar("T")


@dataclass(frozen=True)
class Revision:
    """A revision with its history."""

    hash: str
    shape: Manifest
    template: Manifest
    observations: tuple[Observation, ...] = field(default_factory=tuple)
    outcome: Outcome | None = None

    @property
    def has_served(self) -> bool:
        """Whether it served once, whatever became of it later."""
        last = self.outcome
        return last is not None and (last.result == "Succeeded" or last.served)

    @property
    def number(self) -> int:
        """Number of the latest observation."""
        return max((o.number for o in self.observations), default=0)


def shape_of(spec: DocParserDeploymentSpec) -> PodShape:
    """Return the part of `spec` that shapes a pod."""
    return PodShape.model_validate({name: getattr(spec, name) for name in PodShape.model_fields})


def content_of(shape: PodShape) -> Manifest:
    """Return `shape` without its defaults, so that a new defaulted field changes no hash."""
    return shape.model_dump(by_alias=True, exclude_defaults=True)


def hash_of(content: Manifest) -> str:
    """Return the name of a revision's content."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:HASH_LENGTH]


def wanted_revision(parser: DocParserDeployment, known: dict[str, Revision]) -> Revision:
    """Return the revision that spec asks for: a known one or a new one, as the latest.

    A revision that comes back keeps its hash and content and gets a new number besides its old
    ones, as `kubectl rollout history` does it for Deployments. To ask for it again is to ask for
    another attempt, if it had failed.
    """
    shape = shape_of(parser.spec)
    content = content_of(shape)
    name = hash_of(content)
    last = max((revision.number for revision in known.values()), default=0)
    found = known.get(name)
    if found is None:
        template = pod_template(parser.metadata, shape, name)
        found = Revision(name, content, template)
    elif found.number == last:
        return found
    seen = Observation(last + 1, parser.metadata.generation, parser.metadata.resource_version)
    outcome = found.outcome
    if outcome is not None and outcome.result == "Failed":
        outcome = Outcome("Pending", outcome.time, served=True) if outcome.served else None
    observations = (*found.observations, seen)[-MAX_OBSERVATIONS:]
    return replace(found, observations=observations, outcome=outcome)


def is_failed(revision: Revision, parser: DocParserDeployment) -> bool:
    """Return whether `revision` failed and nobody has asked for another attempt since."""
    outcome = revision.outcome
    if outcome is None or outcome.result != "Failed":
        return False
    return outcome.retry == parser.metadata.annotations.get(names.ANNOTATION_RETRY, "")


def superfluous(known: dict[str, Revision], live: set[str], limit: int) -> list[str]:
    """Return the hashes to forget: all but the live ones and the `limit` latest others."""
    others = [revision for revision in known.values() if revision.hash not in live]
    others.sort(key=lambda revision: revision.number, reverse=True)
    return [revision.hash for revision in others[limit:]]


def controller_revision(owner: ObjectMeta, revision: Revision) -> Manifest:
    """Return the ControllerRevision that keeps `revision`."""
    annotations = {names.ANNOTATION_OBSERVATIONS: _json([vars(o) for o in revision.observations])}
    if revision.outcome is not None:
        annotations[names.ANNOTATION_OUTCOME] = _json(vars(revision.outcome))
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": metadata(
            owner,
            revision_name(owner, revision.hash),
            {names.LABEL_REVISION: revision.hash},
            annotations,
        ),
        "revision": revision.number,
        "data": {"shape": revision.shape, "template": revision.template},
    }


def from_controller_revision(manifest: Manifest) -> Revision:
    """Return the revision that a ControllerRevision of ours keeps.

    Its name and data can never change. What was spoilt in its annotations counts as lost.
    """
    annotations = manifest["metadata"].get("annotations", {})
    observations = _parsed(_OBSERVATIONS, annotations.get(names.ANNOTATION_OBSERVATIONS))
    return Revision(
        hash=manifest["metadata"]["name"].rpartition("-")[2],
        shape=manifest["data"]["shape"],
        template=manifest["data"]["template"],
        observations=observations or (Observation(max(1, manifest["revision"]), 0, ""),),
        outcome=_parsed(_OUTCOME, annotations.get(names.ANNOTATION_OUTCOME)),
    )


def _parsed(adapter: TypeAdapter[T], text: str | None) -> T | None:
    try:
        return adapter.validate_json(text) if text else None
    except ValidationError:
        return None


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
