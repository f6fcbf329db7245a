"""How the pieces of a document are written, so that a piece on the next page can still go on."""

from dataclasses import dataclass

from docparser_runtime.engine.base import BlockKind
from docparser_runtime.outputs import html
from docparser_runtime.outputs.continuing import HYPHENS
from docparser_runtime.outputs.grids import is_pipe_table
from docparser_runtime.outputs.options import Form, Tables
from docparser_runtime.outputs.units import Unit


@dataclass(frozen=True)
class Written:
    """A piece as it is written.

    Attributes:
        text: what can be written at once.
        ending: what ends it unless something is joined to it.
    """

    text: str
    ending: str = ""


@dataclass(frozen=True)
class Style:
    """How a document is to be written."""

    form: Form = Form.MARKDOWN
    tables: Tables = Tables.MARKDOWN

    def can_go_on(self, table: Unit) -> bool:
        """Return whether rows can be added to `table` as it is written, or be taken from it."""
        return self._from_cells(table) or is_pipe_table(table.markdown)

    def begun(self, unit: Unit) -> Written:
        """Return a piece with its beginning."""
        if unit.kind is BlockKind.TABLE:
            return self._table(unit)
        shown = self._shown(unit)
        # A hyphen that the letters of both forms agree on may turn out to be none.
        if shown.endswith(HYPHENS) and shown[-2:] == unit.text[-2:]:
            return Written(shown[:-1], shown[-1])
        return Written(shown)

    def continued(self, unit: Unit, skipped_rows: int) -> Written:
        """Return a piece without its beginning; of a table, without so many first rows."""
        if unit.kind is not BlockKind.TABLE:
            return self.begun(unit)
        if self._is_html(unit):
            rows = unit.rows[skipped_rows:]
            return Written("".join("\n" + html.table_row(row) for row in rows), html.TABLE_END)
        lines = self._shown(unit).split("\n")
        if self.form is Form.MARKDOWN or unit.block is None:
            del lines[1]  # the rule below the head
        return Written("".join("\n" + line for line in lines[skipped_rows:]))

    def _table(self, unit: Unit) -> Written:
        if self._is_html(unit):
            return Written(html.open_table(unit.rows), html.TABLE_END)
        return Written(self._shown(unit))

    def _is_html(self, unit: Unit) -> bool:
        is_wanted = self.form is Form.MARKDOWN and self.tables is Tables.HTML
        return is_wanted and unit.block is not None

    def _from_cells(self, unit: Unit) -> bool:
        """Return whether a table is written from its cells, whatever its Markdown looks like."""
        return unit.block is not None and (self.form is Form.PLAIN or self.tables is Tables.HTML)

    def _shown(self, unit: Unit) -> str:
        return unit.text if self.form is Form.PLAIN else unit.markdown
