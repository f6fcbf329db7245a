"""Judges a new revision against the one that serves."""
