"""Chooses the form of an answer by the header Accept (RFC 9110, section 12.5.1)."""

from collections.abc import Sequence

from docparser_runtime.errors import NotAcceptable


def choose(accept: str, offers: Sequence[str]) -> str:
    """Return the offer that the client likes most; among equals the first.

    Raises:
        NotAcceptable: it likes none.
    """
    ranges = dict(_range(part) for part in accept.lower().split(",") if part.strip())
    if not ranges:
        return offers[0]
    best = max(offers, key=lambda offer: _quality(offer, ranges))
    if _quality(best, ranges) <= 0:
        raise NotAcceptable(f"This answer comes as {' or '.join(offers)}.")
    return best


def _range(part: str) -> tuple[str, float]:
    kind, *parameters = (piece.strip() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return kind, _weight(value.strip())
    return kind, 1.0


def _weight(text: str) -> float:
    digits = text.replace(".", "", 1)
    return min(float(text), 1.0) if digits.isascii() and digits.isdecimal() else 0.0


def _quality(offer: str, ranges: dict[str, float]) -> float:
    for kind in (offer, offer.partition("/")[0] + "/*", "*/*"):  # the most exact one counts
        if kind in ranges:
            return ranges[kind]
    return 0.0
