"""Traces: which step of a request took how long, over all processes that it goes through."""
