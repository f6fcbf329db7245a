"""Signed messages to addresses that clients named, when their tasks have ended."""
