"""How closely an engine looks at a page: what more tokens of its image cost and bring."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Tier(StrEnum):
    """A tier that requests can name, the least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


ORDER: Final = tuple(Tier)
NO_TIERS: Final[frozenset[Tier]] = frozenset()
ALL_TIERS: Final = frozenset(Tier)


@dataclass(frozen=True)
class Chosen:
    """The tier of one page, and whether a closer one was not allowed."""

    tier: Tier
    lowered: bool


def chosen(named: Tier | None, at_most: Tier, choice: Tier) -> Chosen:
    """Return the tier of a page: the `named` one, or the engine's `choice` within `at_most`."""
    if named is not None:
        return Chosen(named, lowered=False)
    lower = min(choice, at_most, key=ORDER.index)
    return Chosen(lower, lower is not choice)


def highest(tiers: Collection[Tier], at_most: Tier) -> Tier:
    """Return the closest of an engine's `tiers` that is allowed, or the least if none is."""
    allowed = [tier for tier in ORDER[: ORDER.index(at_most) + 1] if tier in tiers]
    return allowed[-1] if allowed else min(tiers, key=ORDER.index)
