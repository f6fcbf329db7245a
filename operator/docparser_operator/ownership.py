"""Whose an object is, judged before it is written to."""

from enum import Enum

from docparser_api import names
from docparser_api.deployment import ObjectMeta

from docparser_operator.kinds import Manifest


class Ownership(Enum):
    """Relation of an object to a DocParserDeployment."""

    OURS = "ours"
    ORPHAN = "orphan"
    FOREIGN = "foreign"


def ownership(live: Manifest, owner: ObjectMeta) -> Ownership:
    """Return whose `live` is. An orphan has our label and no controller: it may be adopted."""
    metadata = live["metadata"]
    controllers = [o for o in metadata.get("ownerReferences", []) if o.get("controller")]
    if controllers:
        return Ownership.OURS if controllers[0]["uid"] == owner.uid else Ownership.FOREIGN
    labels = metadata.get("labels", {})
    labelled = labels.get(names.LABEL_DEPLOYMENT) == owner.name
    managed = labels.get(names.LABEL_MANAGED_BY) == names.MANAGER
    return Ownership.ORPHAN if labelled and managed else Ownership.FOREIGN


def has_foreign_template(live: Manifest) -> bool:
    """Return whether somebody else set a field of the pod template of a Deployment."""
    for entry in live["metadata"].get("managedFields", []):
        fields = entry.get("fieldsV1", {}).get("f:spec", {})
        if entry.get("manager") != names.MANAGER and "f:template" in fields:
            return True
    return False
