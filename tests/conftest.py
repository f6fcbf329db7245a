"""What concerns the whole test suite."""

import asyncio
import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option with which golden files are written anew."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected files of golden tests as they come out now; look at the diff",
    )


def pytest_configure() -> None:
    """Say that there is no event loop yet, or pytest-asyncio makes one that nobody closes.

    And let onnxruntime keep no records of the tests that load an engine without its registry.
    """
    asyncio.set_event_loop(None)
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
