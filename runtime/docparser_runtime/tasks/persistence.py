"""Keeps loops going that must not end while the process lives."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from docparser_runtime.logs import Log

_PAUSE_SECONDS: Final = 5.0


async def persistently(work: Callable[[], Awaitable[None]], what: str, log: Log) -> None:
    """Run `work` until it ends by itself or is cancelled.

    A loop that died without a word would leave a process that looks healthy and does nothing; so
    whatever it raises is logged, and it begins anew.
    """
    while True:
        try:
            return await work()
        except Exception:
            log.exception("loop_failed", loop=what)
            await asyncio.sleep(_PAUSE_SECONDS)
