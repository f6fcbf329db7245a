"""The PodDisruptionBudget over all pods, whatever their revision."""

from docparser_api.deployment import DocParserDeployment

from docparser_operator.desired.metadata import metadata, pod_selector
from docparser_operator.kinds import Manifest


def disruption_budget(parser: DocParserDeployment) -> Manifest:
    """Return the PodDisruptionBudget; without numbers in spec one pod may go at a time."""
    budget = parser.spec.disruption_budget
    limit = (
        {"minAvailable": budget.min_available}
        if budget.min_available is not None
        else {"maxUnavailable": 1 if budget.max_unavailable is None else budget.max_unavailable}
    )
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(parser.metadata, parser.metadata.name),
        "spec": {
            "selector": {"matchLabels": pod_selector(parser.metadata, None)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            **limit,
        },
    }
