"""Locks that keep rules of the same kind apart."""

from enum import IntEnum

from sqlalchemy import Connection, func, select


class Lock(IntEnum):
    """Locks of PostgreSQL that a transaction holds until its end. SQLite has one for all writes."""

    SUBMIT = 0x_D0C_0001
    CLAIM = 0x_D0C_0002
    REAP = 0x_D0C_0003
    MIGRATE = 0x_D0C_0004


def take(lock: Lock, connection: Connection) -> None:
    """Wait until nobody else holds the lock."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(lock.value)))
