"""Asks a pooled connection whether it lives, but not at each use."""

import time
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine

_FRESH_SECONDS: Final = 1.0
"""A connection that worked so recently is taken to work still. To ask takes three round trips, as
long as a small transaction; what has died since tells by its error, as in the midst of work."""
_LAST_USE: Final = "docparser_last_use"


def watch(engine: AsyncEngine, clock: Callable[[], float] = time.monotonic) -> None:
    """Have each connection that `engine` hands out prove that it lives, unless it just did."""
    errors: type[Exception] = engine.dialect.loaded_dbapi.Error

    def used(_connection: Any, record: Any) -> None:
        record.info[_LAST_USE] = clock()

    def taken(connection: Any, record: Any, _proxy: Any) -> None:
        last_use = record.info.setdefault(_LAST_USE, clock())
        try:
            if connection.driver_connection.is_closed():
                raise InvalidatePoolError
            if clock() - last_use >= _FRESH_SECONDS:
                connection.ping()
        except errors as error:
            # All that are as old are replaced with it: a restart of the server ended them together.
            raise InvalidatePoolError from error

    event.listen(engine.sync_engine, "checkin", used)
    event.listen(engine.sync_engine, "checkout", taken)
