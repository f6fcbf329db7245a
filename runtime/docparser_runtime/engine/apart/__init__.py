"""Runs an engine in a process of its own, so that neither takes the other along when it dies."""
