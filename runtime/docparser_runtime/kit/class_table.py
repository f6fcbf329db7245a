"""Pure: the report's table of layout classes. Columns that no class fills are left out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from docparser_runtime.kit.classes import ClassFigures
from docparser_runtime.kit.markup import Markup, table

_NONE: Final = "-"


def class_table(classes: Mapping[str, ClassFigures]) -> Markup:
    """Return times, tokens and tiers by layout class."""
    filled = [
        (name, cell) for name, cell in _COLUMNS if any(map(_is_filled(cell), classes.values()))
    ]
    return table(
        ("Layout", *(name for name, _ in filled)),
        ((name, *(cell(found) for _, cell in filled)) for name, found in classes.items()),
    )


def seconds(value: float) -> str:
    """Return a time for people."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"


def _is_filled(cell: Callable[[ClassFigures], str]) -> Callable[[ClassFigures], bool]:
    return lambda found: cell(found) != _NONE


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:,.0f}"


def _count(value: int) -> str:
    return str(value) if value else _NONE


def _tiers(found: ClassFigures) -> str:
    return ", ".join(f"{tier} {pages}" for tier, pages in sorted(found.tiers.items())) or _NONE


_COLUMNS: Final[Sequence[tuple[str, Callable[[ClassFigures], str]]]] = (
    ("Requests", lambda found: str(found.latency.requests)),
    ("Pages", lambda found: str(found.pages)),
    ("P50", lambda found: seconds(found.latency.p50_seconds)),
    ("P99", lambda found: seconds(found.latency.p99_seconds)),
    ("P50 per page", lambda found: seconds(found.p50_seconds_per_page)),
    ("Vision tokens per page", lambda found: _number(found.vision_tokens_per_page)),
    ("Written tokens per page", lambda found: _number(found.generated_tokens_per_page)),
    ("Written tokens/s", lambda found: _number(found.generated_tokens_per_second)),
    ("Pages by tier", _tiers),
    ("Pages lowered", lambda found: _count(found.lowered_pages)),
    ("Pages cut off", lambda found: _count(found.cut_off_pages)),
)
