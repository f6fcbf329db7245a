"""What can be known of an engine without loading it."""

from dataclasses import dataclass

from docparser_runtime.engine.tiers import NO_TIERS, Tier


@dataclass(frozen=True)
class Traits:
    """What requests may ask of an engine: see `Engine`, which has the same attributes."""

    generates: bool = False
    tiers: frozenset[Tier] = NO_TIERS
