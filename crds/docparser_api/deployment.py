"""A DocParserDeployment as the API server returns it, parsed."""

from contextlib import suppress
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from docparser_api.base import ApiModel
from docparser_api.spec import DocParserDeploymentSpec
from docparser_api.status import Condition, DocParserDeploymentStatus


class ObjectMeta(ApiModel):
    """The part of an object's metadata that decisions depend on."""

    model_config = ConfigDict(extra="ignore")

    name: str
    """Name within the namespace."""
    namespace: str
    """Namespace."""
    uid: str
    """Identity, different for every object that ever bore the name."""
    generation: int = 1
    """Version of the spec."""
    resource_version: str
    """Version of the whole object."""
    annotations: dict[str, str] = Field(default_factory=dict)
    """Annotations."""
    deletion_timestamp: str | None = None
    """When deletion was asked for."""


class DocParserDeployment(ApiModel):
    """The resource with a valid spec. A status that cannot be read counts as empty."""

    model_config = ConfigDict(extra="ignore")

    metadata: ObjectMeta
    """Identity and version."""
    spec: DocParserDeploymentSpec
    """What should run."""
    status: DocParserDeploymentStatus = DocParserDeploymentStatus()
    """What runs, as last written."""


def parse(body: dict[str, Any]) -> DocParserDeployment:
    """Return `body` as a typed object.

    Raises:
        pydantic.ValidationError: the spec is not valid for this version of the operator.
    """
    return DocParserDeployment.model_validate({**body, "status": parse_status(body)})


def parse_status(body: dict[str, Any]) -> DocParserDeploymentStatus:
    """Return the status of `body`.

    Conditions that another version wrote and we cannot read are left out; where the rest cannot be
    read either, the status is empty.
    """
    status = body.get("status", {})
    for readable in (status, {**status, "conditions": _readable(status.get("conditions", []))}):
        with suppress(ValidationError):
            return DocParserDeploymentStatus.model_validate(readable)
    return DocParserDeploymentStatus()


def _readable(conditions: Any) -> list[Condition]:
    """Return the conditions that this version knows."""
    found = []
    for condition in conditions if isinstance(conditions, list) else []:
        with suppress(ValidationError):
            found.append(Condition.model_validate(condition))
    return found
