"""The Deployment of one revision. Its template never changes; only its size does."""

from docparser_api import names
from docparser_api.deployment import DocParserDeployment

from docparser_operator.desired.metadata import metadata, pod_selector, revision_name
from docparser_operator.kinds import Manifest


def deployment(
    parser: DocParserDeployment, revision: str, template: Manifest, replicas: int
) -> Manifest:
    """Return the Deployment that runs `replicas` pods of `revision`."""
    rollout = parser.spec.rollout
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(
            parser.metadata,
            revision_name(parser.metadata, revision),
            {names.LABEL_REVISION: revision},
        ),
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": pod_selector(parser.metadata, revision)},
            "minReadySeconds": rollout.min_ready_seconds,
            "progressDeadlineSeconds": rollout.progress_deadline_seconds,
            "revisionHistoryLimit": 0,
            # Only a repaired template would roll; it must not need another GPU for that.
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
            },
            "template": template,
        },
    }
