"""The tables of the queue, and the conditions that its indexes know.

`migrations/` makes these tables; a test compares the two.
"""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    and_,
    literal_column,
    or_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from docparser_runtime.queue.values import State

METADATA: Final = MetaData()
_SERIAL: Final = BigInteger().with_variant(Integer, "sqlite")

JOBS: Final = Table(
    "queue_jobs",
    METADATA,
    Column("seq", _SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("tenant", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("track", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("payload", Text, nullable=False),
    Column("body_sha256", Text, nullable=False),
    Column("idempotency_key", Text),
    Column("owner", Text),
    Column("beat_at", Double),
    Column("lease_seconds", Double),
    Column("crashes", Integer, nullable=False, server_default="0"),
    Column("cancel", Boolean, nullable=False, server_default=literal_column("false")),
    Column("result", Text),
    Column("failure_code", Text),
    Column("failure_detail", Text),
    Column("created_at", Double, nullable=False),
    Column("queued_at", Double, nullable=False),
    Column("started_at", Double),
    Column("finished_at", Double),
    Column("expires_at", Double),
    Column("version", _SERIAL, nullable=False, server_default="0"),
    UniqueConstraint("tenant", "idempotency_key", name="queue_jobs_key"),
)
"""Jobs, in the order of `seq`. Times are seconds since 1970, as the database tells them."""

PAGES: Final = Table(
    "queue_pages",
    METADATA,
    Column("job", _SERIAL, ForeignKey("queue_jobs.seq", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("page", Integer, nullable=False),
    Column("ref", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    UniqueConstraint("job", "page", name="queue_pages_page"),
)

TOMBSTONES: Final = Table(
    "queue_tombstones",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("seq", _SERIAL, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("expired_at", Double, nullable=False, index=True),
)
"""Jobs that were forgotten, so that their ids can be told from those that never were."""

SWEEPER: Final = Table(
    "queue_sweeper",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("beat_at", Double, nullable=False),
    Column("healthy_since", Double, nullable=False),
)
"""One row: when somebody last looked for silent workers, and since when without a gap."""

CALLBACKS: Final = Table(
    "queue_callbacks",
    METADATA,
    Column("job", _SERIAL, ForeignKey("queue_jobs.seq", ondelete="CASCADE"), primary_key=True),
    Column("url", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("next_at", Double, nullable=False),
)
"""Where the end of jobs is told, and when that is tried next."""

IS_WAITING: Final = CALLBACKS.c.state == literal_column("'waiting'")
Index(
    "queue_callbacks_next",
    CALLBACKS.c.next_at,
    sqlite_where=IS_WAITING,
    postgresql_where=IS_WAITING,
)

SCHEMA: Final = Table("queue_schema", METADATA, Column("oldest", Text, nullable=False))
"""One row: the earliest change with which a release must be acquainted to use the tables."""


def _is(*states: State) -> ColumnElement[bool]:
    # Spelled out, not bound: a partial index is used only where the statement shows its condition.
    tests = [JOBS.c.state == literal_column(f"'{state.value}'") for state in states]
    return tests[0] if len(tests) == 1 else or_(*tests)


IS_QUEUED: Final = _is(State.QUEUED)
IS_RUNNING: Final = _is(State.RUNNING)
IS_LIVE: Final = _is(State.QUEUED, State.RUNNING)
HAS_WORKER: Final = and_(IS_RUNNING, JOBS.c.owner > literal_column("''"))
"""The same as IS_RUNNING, said so that SQLite takes the small index of those that run."""

Index(
    "queue_jobs_next",
    JOBS.c.track,
    JOBS.c.priority.desc(),
    JOBS.c.seq,
    sqlite_where=IS_QUEUED,
    postgresql_where=IS_QUEUED,
)
Index(
    "queue_jobs_load",
    *(JOBS.c.tenant, JOBS.c.track, JOBS.c.state, JOBS.c.pages, JOBS.c.queued_at),
    sqlite_where=IS_LIVE,
    postgresql_where=IS_LIVE,
)
Index("queue_jobs_owner", JOBS.c.owner, sqlite_where=IS_RUNNING, postgresql_where=IS_RUNNING)
Index("queue_jobs_tenant", JOBS.c.tenant, JOBS.c.seq)
_IS_TO_EXPIRE: Final = JOBS.c.expires_at.is_not(None)
Index(
    "queue_jobs_expiry",
    JOBS.c.expires_at,
    sqlite_where=_IS_TO_EXPIRE,
    postgresql_where=_IS_TO_EXPIRE,
)


class Now(FunctionElement[float]):
    """The database's time at the start of the statement, in seconds since 1970."""

    type = Double()
    inherit_cache = True


@compiles(Now, "postgresql")
def _postgres_now(_now: Now, _compiler: SQLCompiler, **_options: Any) -> str:
    # Not that of the transaction, which may have waited for a lock since.
    return "extract(epoch from statement_timestamp())::float8"


@compiles(Now, "sqlite")
def _sqlite_now(_now: Now, _compiler: SQLCompiler, **_options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


def insert_if_absent(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT for the connection's database that can skip rows which exist."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
