"""Run by Alembic: applies the changes in the transaction of the connection that it is given."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], version_table="queue_changes")
context.run_migrations()
