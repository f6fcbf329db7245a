"""Names, labels and owner of the children, each spelled once."""

from typing import Any

from docparser_api import names
from docparser_api.deployment import DocParserDeployment, ObjectMeta


def labels(owner: ObjectMeta) -> dict[str, str]:
    """Return the labels that every child bears."""
    return {
        names.LABEL_MANAGED_BY: names.MANAGER,
        names.LABEL_APP: names.APP,
        names.LABEL_INSTANCE: owner.name,
        names.LABEL_DEPLOYMENT: owner.name,
    }


def pod_selector(owner: ObjectMeta, revision: str | None) -> dict[str, str]:
    """Return the labels that select the pods of one revision; of all with None."""
    selector = {names.LABEL_DEPLOYMENT: owner.name}
    return selector if revision is None else selector | {names.LABEL_REVISION: revision}


def revision_name(owner: ObjectMeta, revision: str) -> str:
    """Return the name of the ControllerRevision and of the Deployment of a revision."""
    return f"{owner.name}-{revision}"


def metadata(
    owner: ObjectMeta,
    name: str,
    extra_labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Return the metadata of a child that is deleted with its owner."""
    result = {
        "name": name,
        "namespace": owner.namespace,
        "labels": labels(owner) | (extra_labels or {}),
        "ownerReferences": [owner_reference(owner)],
    }
    return result | ({"annotations": annotations} if annotations else {})


def owner_reference(owner: ObjectMeta) -> dict[str, Any]:
    """Return the reference by which the garbage collector finds the owner."""
    return {
        "apiVersion": names.API_VERSION,
        "kind": names.KIND,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
    }


def endpoint(parser: DocParserDeployment) -> str:
    """Return the address of the Service inside the cluster."""
    return service_url(parser, "")


def service_url(parser: DocParserDeployment, suffix: str) -> str:
    """Return the address of the Service whose name ends in `suffix`."""
    owner = parser.metadata
    return f"http://{owner.name}{suffix}.{owner.namespace}.svc:{parser.spec.service.port}"
