"""Requests of the service to addresses that its clients name."""
