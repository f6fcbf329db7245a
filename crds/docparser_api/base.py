"""The base of every API type."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict


class ApiModel(BaseModel):
    """An immutable JSON object in Kubernetes style: camelCase names, no unknown fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        use_attribute_docstrings=True,
    )


def cel(rule: str, message: str) -> JsonDict:
    """Return one `x-kubernetes-validations` entry; the message says how to mend it."""
    return {"rule": " ".join(rule.split()), "message": " ".join(message.split())}


def validations(*rules: JsonDict) -> JsonDict:
    """Return the schema extension that holds `rules`, for a field or a class."""
    return {"x-kubernetes-validations": list(rules)}
