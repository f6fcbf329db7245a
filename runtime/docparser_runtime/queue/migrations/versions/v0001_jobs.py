"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
# Rows change often and must find room in their page; the table is to be tidied early.
_OFTEN_WRITTEN = {"fillfactor": "70", "autovacuum_vacuum_scale_factor": "0.02"}


def upgrade() -> None:
    """Make the tables."""
    _make_jobs()
    _index_jobs()
    op.create_table(
        "queue_pages",
        sa.Column(
            "job", _SERIAL, sa.ForeignKey("queue_jobs.seq", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("ref", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.UniqueConstraint("job", "page", name="queue_pages_page"),
    )
    op.create_table(
        "queue_tombstones",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("seq", _SERIAL, nullable=False),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("expired_at", sa.Double, nullable=False, index=True),
    )
    op.create_table(
        "queue_sweeper",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("beat_at", sa.Double, nullable=False),
        sa.Column("healthy_since", sa.Double, nullable=False),
    )
    schema = op.create_table("queue_schema", sa.Column("oldest", sa.Text, nullable=False))
    op.bulk_insert(schema, [{"oldest": revision}])


def _make_jobs() -> None:
    op.create_table(
        "queue_jobs",
        sa.Column("seq", _SERIAL, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("track", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("body_sha256", sa.Text, nullable=False),
        sa.Column("idempotency_key", sa.Text),
        sa.Column("owner", sa.Text),
        sa.Column("beat_at", sa.Double),
        sa.Column("lease_seconds", sa.Double),
        sa.Column("crashes", sa.Integer, nullable=False, server_default="0"),
        sa.Column("cancel", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("result", sa.Text),
        sa.Column("failure_code", sa.Text),
        sa.Column("failure_detail", sa.Text),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("queued_at", sa.Double, nullable=False),
        sa.Column("started_at", sa.Double),
        sa.Column("finished_at", sa.Double),
        sa.Column("expires_at", sa.Double),
        sa.Column("version", _SERIAL, nullable=False, server_default="0"),
        sa.UniqueConstraint("tenant", "idempotency_key", name="queue_jobs_key"),
        postgresql_with=_OFTEN_WRITTEN,
    )


def _index_jobs() -> None:
    _index("next", ["track", sa.text("priority DESC"), "seq"], "state = 'queued'")
    _index(
        "load",
        ["tenant", "track", "state", "pages", "queued_at"],
        "state = 'queued' OR state = 'running'",
    )
    _index("owner", ["owner"], "state = 'running'")
    _index("expiry", ["expires_at"], "expires_at IS NOT NULL")
    op.create_index("queue_jobs_tenant", "queue_jobs", ["tenant", "seq"])


def _index(name: str, columns: list[str | sa.TextClause], where: str) -> None:
    condition = sa.text(where)
    op.create_index(
        f"queue_jobs_{name}",
        "queue_jobs",
        columns,
        sqlite_where=condition,
        postgresql_where=condition,
    )
