"""Compares two running services by documents whose text is known."""
