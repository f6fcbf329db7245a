"""The Job that has both revisions read documents whose text is known."""

import hashlib

from docparser_api import names
from docparser_api.analysis import GoldenDocuments
from docparser_api.deployment import DocParserDeployment

from docparser_operator.desired.helper_job import GOLDEN, job
from docparser_operator.desired.metadata import service_url
from docparser_operator.desired.pod import container_security
from docparser_operator.kinds import Manifest

DOCUMENTS = "/golden"


def golden_name(parser: DocParserDeployment, revision: str, started_at: str) -> str:
    """Return the name of the Job of one rollout; a retry gets a Job of its own."""
    digest = hashlib.sha256(f"{revision}/{started_at}".encode()).hexdigest()[:8]
    return f"{parser.metadata.name}-g-{digest}"


def golden_job(
    parser: DocParserDeployment, name: str, template: Manifest, documents: GoldenDocuments
) -> Manifest:
    """Return the Job; its image and its token are those of the new revision's `template`."""
    runtime = template["spec"]["containers"][0]
    canary = service_url(parser, names.SUFFIX_CANARY)
    stable = service_url(parser, names.SUFFIX_STABLE)
    path = DOCUMENTS
    if documents.persistent_volume_claim is not None and documents.persistent_volume_claim.path:
        path = f"{DOCUMENTS}/{documents.persistent_volume_claim.path}"
    container = {
        "name": GOLDEN,
        "image": runtime["image"],
        "imagePullPolicy": runtime["imagePullPolicy"],
        "args": ["golden", "--documents", path, "--canary", canary, "--stable", stable],
        "env": [variable for variable in runtime["env"] if variable["name"] == names.ENV_TOKEN],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}},
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "documents", "mountPath": DOCUMENTS, "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 (a mount point in the pod)
        ],
    }
    spec = {
        "containers": [container],
        "volumes": [_volume(documents), {"name": "tmp", "emptyDir": {}}],
        **{k: v for k, v in template["spec"].items() if k == "imagePullSecrets"},
    }
    return job(parser.metadata, name, GOLDEN, spec, documents.timeout_seconds)


def _volume(documents: GoldenDocuments) -> Manifest:
    if documents.config_map_ref is not None:
        return {"name": "documents", "configMap": {"name": documents.config_map_ref.name}}
    claim = documents.persistent_volume_claim
    name = claim.claim_name if claim else ""
    return {
        "name": "documents",
        "persistentVolumeClaim": {"claimName": name, "readOnly": True},
    }
