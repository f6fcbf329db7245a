"""A newer release of the queue's tables."""

import shutil
from pathlib import Path

from docparser_runtime.queue.migrating import SCRIPTS

EXPANDING = '''"""Adds what a newer release needs."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade():
    op.add_column("queue_jobs", sa.Column("colour", sa.Text, server_default="red"))
    op.create_table("queue_colours", sa.Column("name", sa.Text, primary_key=True))
'''
CONTRACTING = """    op.execute("UPDATE queue_schema SET oldest = '9999'")
"""


class NewerRelease:
    """The changes of the tables as a newer release has them: one more than ours."""

    def __init__(self, directory: Path) -> None:
        self.scripts = Path(shutil.copytree(SCRIPTS, directory / "migrations"))
        head = max(path.name for path in self.scripts.glob("versions/v*.py"))[1:5]
        self._change = self.scripts / "versions" / "v9999_newer.py"
        self._change.write_text(EXPANDING.format(head=head))

    def take_something_away(self) -> None:
        """Let its change be one that older releases cannot live with."""
        self._change.write_text(self._change.read_text() + CONTRACTING)
