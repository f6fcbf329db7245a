"""Engines that can fall ill while they serve, and get well again by themselves."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

Hears = Callable[[str | None], None]
"""Is told why nothing can be read for the time being; None when all is well."""


@runtime_checkable
class SelfHealing(Protocol):
    """What such an engine has beside what every engine has."""

    def on_health(self, call: Hears) -> None:
        """Call this at once with the present state, and with each new one, from any thread."""
        ...
