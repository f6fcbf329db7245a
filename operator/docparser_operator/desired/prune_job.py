"""The Job that removes weights from a shared cache which no kept revision needs any more."""

import hashlib

from docparser_api import names
from docparser_api.deployment import DocParserDeployment

from docparser_operator.desired.helper_job import PRUNE, job
from docparser_operator.desired.pod import container_security
from docparser_operator.kinds import Manifest

DEADLINE_SECONDS = 600
MINIMUM_AGE_SECONDS = 3600
"""Far more than the deadline: what is fetched after the Job was made is never old enough for it."""


def prune_job(
    parser: DocParserDeployment, image: Manifest, claim: str, keep: list[str]
) -> Manifest:
    """Return the Job.

    Args:
        parser: whose Job it is.
        image: `image`, `imagePullPolicy` of the runtime and, in the pod, `imagePullSecrets`.
        claim: the claim of the cache.
        keep: directories that somebody needs.
    """
    digest = hashlib.sha256("/".join([claim, *keep]).encode()).hexdigest()[:8]
    words = ["weights", "prune", "--minimum-age-seconds", str(MINIMUM_AGE_SECONDS)]
    for directory in keep:
        words += ["--keep", directory]
    container = {
        "name": PRUNE,
        **{k: v for k, v in image.items() if k != "imagePullSecrets"},
        "args": words,
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}},
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "weights", "mountPath": names.WEIGHTS_CACHE}],
    }
    pod = {
        "containers": [container],
        "volumes": [{"name": "weights", "persistentVolumeClaim": {"claimName": claim}}],
        **{k: v for k, v in image.items() if k == "imagePullSecrets"},
    }
    return job(parser.metadata, f"{parser.metadata.name}-p-{digest}", PRUNE, pod, DEADLINE_SECONDS)
