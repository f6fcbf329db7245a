"""Brings the tables up to date at start-up, while other releases may be at work on them.

A change first adds what the new release needs, so that the old one does not notice; what the old
one alone needs goes in a later release. `queue_schema` says how far back the tables can be used: a
change that takes something away raises its `oldest`.
"""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, column, inspect, select, table

from docparser_runtime.queue.failures import QueueSchemaTooNew
from docparser_runtime.queue.locks import Lock, take

SCRIPTS: Final = Path(__file__).parent / "migrations"
_CHANGES: Final = "queue_changes"
"""The table in which Alembic notes the last change."""
_SCHEMA: Final = "queue_schema"


def migrate(connection: Connection, scripts: Path = SCRIPTS) -> None:
    """Apply the changes in `scripts` that are missing, in the connection's transaction.

    Raises:
        QueueSchemaTooNew: a newer release has taken away what this one needs.
    """
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    known = ScriptDirectory.from_config(config)
    head = known.get_current_head()
    if _revision(connection) == head:
        return
    take(Lock.MIGRATE, connection)
    # Another process may have done it, while this one waited for the lock.
    current = _revision(connection)
    if current is not None and current not in {one.revision for one in known.walk_revisions()}:
        _check_oldest(connection, head or "")
    elif current != head:
        command.upgrade(config, "head")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_CHANGES):
        return None
    return connection.execute(select(column("version_num")).select_from(table(_CHANGES))).scalar()


def _check_oldest(connection: Connection, head: str) -> None:
    oldest: str = connection.execute(
        select(column("oldest")).select_from(table(_SCHEMA))
    ).scalar_one()
    if head < oldest:
        raise QueueSchemaTooNew(
            f"the queue's tables need a release that knows change {oldest}; this one knows {head}"
        )
