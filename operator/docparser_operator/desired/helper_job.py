"""Jobs that the operator runs beside the pods: they need no GPU and serve nobody."""

from docparser_api import names
from docparser_api.deployment import ObjectMeta

from docparser_operator.desired.metadata import labels, metadata
from docparser_operator.desired.pod import security_context
from docparser_operator.kinds import Manifest

GOLDEN = "golden"
ROLLBACK_CHECK = "rollback-check"
PRUNE = "prune"
TRIES = 1


def job(
    owner: ObjectMeta,
    name: str,
    purpose: str,
    pod_spec: Manifest,
    deadline_seconds: int,
    extra_labels: dict[str, str] | None = None,
) -> Manifest:
    """Return a Job called `name` that runs `pod_spec` with the operator's own restrictions."""
    own = {names.LABEL_PURPOSE: purpose}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(owner, name, own | (extra_labels or {})),
        "spec": {
            "activeDeadlineSeconds": deadline_seconds,
            "backoffLimit": TRIES,
            "template": {
                "metadata": {"labels": _pod_labels(owner) | own},
                "spec": {
                    "serviceAccountName": owner.name,
                    "automountServiceAccountToken": False,
                    "enableServiceLinks": False,
                    "restartPolicy": "Never",
                    "securityContext": security_context(),
                    **pod_spec,
                },
            },
        },
    }


def _pod_labels(owner: ObjectMeta) -> dict[str, str]:
    own = {name: value for name, value in labels(owner).items() if name != names.LABEL_DEPLOYMENT}
    return own | {names.LABEL_HELPER_OF: owner.name}
