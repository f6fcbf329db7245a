"""A DocParserDeployment with everything that belongs to it, as the commands look at it."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from docparser_api import names
from docparser_api.deployment import ObjectMeta, parse_status
from docparser_api.resource import MAX_NAME_LENGTH
from docparser_api.spec import DocParserDeploymentSpec
from docparser_api.status import Condition, ConditionType, DocParserDeploymentStatus
from docparser_operator import kinds
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed, observe
from pydantic import ValidationError

from docparser_kubectl.cluster import Cluster
from docparser_kubectl.errors import Failure, Refused

_NAME: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_KINDS: Final = {
    names.SHORT_NAME,
    names.SINGULAR,
    names.PLURAL,
    f"{names.SINGULAR}.{names.GROUP}",
    f"{names.PLURAL}.{names.GROUP}",
}


@dataclass(frozen=True)
class Subject:
    """What the cluster knows of one DocParserDeployment.

    Attributes:
        body: the object as it came.
        spec: the typed spec; None where this program is older than the object.
        created: creation time of each revision, by hash.
    """

    body: Manifest
    metadata: ObjectMeta
    spec: DocParserDeploymentSpec | None
    status: DocParserDeploymentStatus
    observed: Observed
    created: dict[str, str]

    @property
    def is_current(self) -> bool:
        """Whether the status speaks of the spec as it is now."""
        return self.status.observed_generation == self.metadata.generation

    def condition(self, kind: ConditionType) -> Condition | None:
        """Return a condition, if there is one."""
        return next((c for c in self.status.conditions if c.type == kind), None)

    def label(self, revision: str | None) -> str:
        """Return number and hash of a revision, as people read it."""
        if revision is None:
            return "none"
        known = self.observed.revisions.get(revision)
        return f"{known.number} ({revision})" if known else revision


def named(text: str) -> str:
    """Return the object's name in NAME or KIND/NAME.

    Raises:
        ValueError: no DocParserDeployment can bear that name.
    """
    kind, slash, name = text.rpartition("/")
    if slash and kind.lower() not in _KINDS:
        raise ValueError(f"{kind!r} is another kind; give NAME or {names.SHORT_NAME}/NAME")
    if len(name) > MAX_NAME_LENGTH or not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is no name of a {names.KIND}: at most {MAX_NAME_LENGTH} lower-case letters, "
            "digits and hyphens, beginning with a letter"
        )
    return name


def load(cluster: Cluster, name: str) -> Subject:
    """Return the object with its children and pods.

    Raises:
        Failure: it does not exist, or the cluster does not know the kind.
    """
    subject = find(cluster, name)
    if subject is None:
        raise Failure(
            f"{names.SHORT_NAME}/{name} does not exist in namespace {cluster.namespace}; "
            f"`kubectl get {names.SHORT_NAME} -A` lists those that do"
        )
    return subject


def find(cluster: Cluster, name: str) -> Subject | None:
    """Return the object with its children and pods; None where it does not exist."""
    try:
        body = cluster.get(kinds.DOC_PARSER, name)
    except Refused as error:
        if (unknown := _missing_kind(error)) is not None:
            raise unknown from error
        if error.status == HTTPStatus.NOT_FOUND:
            return None
        raise
    return _assembled(cluster, body)


def _assembled(cluster: Cluster, body: Manifest) -> Subject:
    """Return `body` with its children and pods as they are now."""
    selector = f"{names.LABEL_DEPLOYMENT}={body['metadata']['name']}"
    looked_at = (kinds.CONTROLLER_REVISION, kinds.DEPLOYMENT, kinds.POD)
    return subject_of(body, [item for kind in looked_at for item in cluster.list(kind, selector)])


def subject_of(body: Manifest, objects: list[Manifest]) -> Subject:
    """Return `body` with `objects`, all labelled as belonging to it."""
    metadata = ObjectMeta.model_validate(body["metadata"])
    try:
        spec = DocParserDeploymentSpec.model_validate(body["spec"])
    except ValidationError:
        spec = None
    created = {
        item["metadata"]["name"].rpartition("-")[2]: item["metadata"].get("creationTimestamp", "")
        for item in objects
        if item["kind"] == kinds.CONTROLLER_REVISION.kind
    }
    observed = observe(metadata, objects)
    return Subject(body, metadata, spec, parse_status(body), observed, created)


def _missing_kind(error: Refused) -> Failure | None:
    """Return what to do where the cluster does not know the kind; None if that is not it."""
    # For an object that is missing the API server answers with a Status, for a path with a line.
    if error.status != HTTPStatus.NOT_FOUND or "/apis/" not in str(error):
        return None
    return Failure(
        f"the cluster does not know {names.PLURAL}.{names.GROUP}; "
        "install the operator first: kubectl apply --server-side -k charts/kustomize/default"
    )
