"""Events for people: one for each change of a condition, none at rest."""

import hashlib

from docparser_api import names
from docparser_api.deployment import ObjectMeta
from docparser_api.status import Condition, ConditionType, DocParserDeploymentStatus

from docparser_operator.kinds import Manifest

_BAD = {(ConditionType.DEGRADED, "True"), (ConditionType.NAME_CONFLICT, "True")}


def events(
    owner: ObjectMeta, old: DocParserDeploymentStatus, new: DocParserDeploymentStatus, now: str
) -> list[Manifest]:
    """Return an Event for every condition whose status or reason changed.

    The first `False` of Degraded and NameConflict is no news. Names are made of what happened, so
    that an Event that is sent twice exists once.
    """
    before = {condition.type: condition for condition in old.conditions}
    # UpToDate repeats what Progressing says, for those who wait for it.
    told = [c for c in new.conditions if c.type != ConditionType.UP_TO_DATE]
    changed = [c for c in told if _is_news(before.get(c.type), c)]
    return [_event(owner, condition, now) for condition in changed]


def _is_news(old: Condition | None, new: Condition) -> bool:
    if old is None:
        return new.status == "True"
    return (old.status, old.reason) != (new.status, new.reason)


def _event(owner: ObjectMeta, condition: Condition, now: str) -> Manifest:
    what = f"{owner.uid}/{condition.type}/{condition.status}/{condition.reason}/{now}"
    digest = hashlib.sha256(what.encode()).hexdigest()[:16]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{owner.name}.{digest}", "namespace": owner.namespace},
        "involvedObject": {
            "apiVersion": names.API_VERSION,
            "kind": names.KIND,
            "name": owner.name,
            "namespace": owner.namespace,
            "uid": owner.uid,
            "resourceVersion": owner.resource_version,
        },
        "type": "Warning" if (condition.type, condition.status) in _BAD else "Normal",
        "reason": condition.reason,
        "message": f"{condition.type} is {condition.status}: {condition.message}"[:1024],
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "source": {"component": names.MANAGER},
        "reportingComponent": names.MANAGER,
        "reportingInstance": names.MANAGER,
    }
