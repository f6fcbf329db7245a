"""Kubernetes quantities as a typed value."""

from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints, WithJsonSchema

PATTERN = r"^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei|e[0-9]+)?$"
"""The non-negative quantities of `k8s.io/apimachinery/pkg/api/resource`."""


def _text(value: Any) -> Any:
    """Return a plain number as text, since YAML's `cpu: 2` is a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


Quantity = Annotated[
    str,
    BeforeValidator(_text),
    StringConstraints(pattern=PATTERN, max_length=32),
    WithJsonSchema(
        {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "pattern": PATTERN,
            "maxLength": 32,
        }
    ),
]
"""An amount such as `500m`, `2` or `4Gi`."""
