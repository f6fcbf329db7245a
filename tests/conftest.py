"""What concerns the whole test suite."""

import asyncio

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option with which golden files are written anew."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected files of golden tests as they come out now; look at the diff",
    )


def pytest_configure() -> None:
    """Say that there is no event loop yet, or pytest-asyncio makes one that nobody closes."""
    asyncio.set_event_loop(None)
