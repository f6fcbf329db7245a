"""Engines: what turns the image of a page into text."""
