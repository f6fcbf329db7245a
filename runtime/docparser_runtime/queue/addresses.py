"""Addresses of databases, as people write them."""

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from docparser_runtime.queue.failures import QueueAddressInvalid

_POSTGRES = {"postgres", "postgresql", "postgresql+asyncpg"}
_SQLITE = {"sqlite", "sqlite+aiosqlite"}


def database_url(text: str) -> URL:
    """Return the address `postgresql://…` or `sqlite:////PATH`, in one spelling.

    Raises:
        QueueAddressInvalid: it is none of these. The message never quotes it: it may hold a
            password.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise QueueAddressInvalid(
            "the address of the queue's database cannot be understood; write "
            "postgresql://USER:PASSWORD@HOST/DATABASE or sqlite:////PATH"
        ) from None
    if url.drivername in _POSTGRES:
        return url.set(drivername="postgresql")
    if url.drivername not in _SQLITE:
        raise QueueAddressInvalid(
            f"a queue lives in postgresql:// or sqlite://, not in {url.drivername}://"
        )
    if not url.database or url.database == ":memory:":
        raise QueueAddressInvalid("a queue in SQLite needs a file: write sqlite:////PATH")
    return url.set(drivername="sqlite")
