"""Waiting for an event, but not for ever."""

import asyncio


async def happens_within(event: asyncio.Event, seconds: float) -> bool:
    """Return whether `event` is set, as soon as it is, or after this time."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
