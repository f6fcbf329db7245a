"""Callbacks, beside the jobs whose end they tell."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the table. Releases that do not know it leave it alone."""
    op.create_table(
        "queue_callbacks",
        sa.Column(
            "job", _SERIAL, sa.ForeignKey("queue_jobs.seq", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("next_at", sa.Double, nullable=False),
    )
    waiting = sa.text("state = 'waiting'")
    op.create_index(
        "queue_callbacks_next",
        "queue_callbacks",
        ["next_at"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
