"""What concerns the whole test suite."""

import asyncio
import os
import signal

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

    Let onnxruntime keep no records of the tests that load an engine without its registry. And let
    the programs that tests start be interrupted, also where a shell started the tests in the
    background: it has what it starts so ignore interruptions, and who is started inherits that.
    """
    asyncio.set_event_loop(None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
