"""For all tests."""

import asyncio


def pytest_configure() -> None:
    # looptime makes an event loop current and leaves it unclosed after a synchronous test, which
    # the next asynchronous one would report as a ResourceWarning.
    asyncio.set_event_loop(None)
