"""The service of the unit tests, whose engine does what a test wants."""

from unit.runtime.conftest import engine, start

__all__ = ["engine", "start"]
