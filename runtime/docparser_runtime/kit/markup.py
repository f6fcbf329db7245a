"""Pure: HTML that cannot hold anything unescaped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from docparser_runtime.outputs.html import escaped

_VOID: Final = ("meta",)


@dataclass(frozen=True)
class Markup:
    """HTML that `element` has made; every other text is escaped."""

    source: str


def element(name: str, /, *children: "Markup | str", **attributes: str) -> Markup:
    """Return an element. Names of elements and attributes are the program's own.

    An underscore at the end of an attribute's name is left out, another one becomes a hyphen.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>")
    inner = "".join(
        child.source if isinstance(child, Markup) else escaped(child) for child in children
    )
    return Markup(f"<{name}{given}>{inner}</{name}>")


def table(head: Sequence[str], rows: Iterable[Sequence[Markup | str]]) -> Markup:
    """Return a table of `rows` below the names of its columns."""
    names = element("tr", *(element("th", name, scope="col") for name in head))
    body = (element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element("table", element("thead", names), element("tbody", *body))
