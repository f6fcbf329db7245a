"""Kubernetes quantities as a typed value."""

import math
import re
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, StringConstraints, WithJsonSchema

PATTERN = r"^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei|e[0-9]+)?$"
"""The non-negative quantities of `k8s.io/apimachinery/pkg/api/resource`."""
_PARTS: Final = re.compile(r"([0-9.]+)(e[0-9]+)?([A-Za-z]+)?")
_UNITS: Final = (
    {"": Decimal(1), "m": Decimal("0.001"), "k": Decimal(1000)}
    | {unit: Decimal(1000) ** power for power, unit in enumerate("MGTPE", 2)}
    | {f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)}
)


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


def whole_number(quantity: str) -> int:
    """Return the value of a quantity that `PATTERN` allows, a fraction of one rounded up."""
    digits, exponent, suffix = _PARTS.fullmatch(quantity).groups()  # type: ignore[union-attr]
    return math.ceil(Decimal(digits + (exponent or "")) * _UNITS[suffix or ""])
