"""The ServiceAccount of the pods. They do not talk to the API server."""

from docparser_api.deployment import ObjectMeta

from docparser_operator.desired.metadata import metadata
from docparser_operator.kinds import Manifest


def service_account(owner: ObjectMeta) -> Manifest:
    """Return the ServiceAccount, which no token is mounted from."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata(owner, owner.name),
        "automountServiceAccountToken": False,
    }
