"""Kubernetes quantities as numbers."""

import re
from decimal import Decimal
from typing import Final

_PATTERN: Final = re.compile(r"([+-]?[0-9.]+)(?:([eE][+-]?[0-9]+)|([numkKMGTPE]i?))?")
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


def number(quantity: str | float) -> Decimal:
    """Return the value of a quantity such as `500m`, `2` or `4Gi`.

    Raises:
        ValueError: it is none.
    """
    match = _PATTERN.fullmatch(str(quantity))
    if match is None:
        raise ValueError(f"{quantity!r} is no quantity")
    digits, exponent, suffix = match.groups()
    if exponent:
        return Decimal(digits + exponent)
    if suffix in _BINARY:
        return Decimal(digits) * Decimal(1024) ** _BINARY[suffix]
    return Decimal(digits).scaleb(_DECIMAL[suffix]) if suffix else Decimal(digits)


def bytes_in_words(count: int) -> str:
    """Return an amount of bytes for people, such as `6.5 GiB`."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:  # noqa: PLR2004 (the next unit)
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
