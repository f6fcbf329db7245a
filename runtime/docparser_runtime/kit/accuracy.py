"""Pure: how well samples were read, by layout class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from docparser_runtime.golden.scores import Scores, scores, worst_scores
from docparser_runtime.kit.samples import Sample


@dataclass(frozen=True)
class Accuracy:
    """Means over documents; see `golden.scores`.

    Attributes:
        worst: file with the highest character error rate.
        table_similarity: None when no table is expected.
    """

    documents: int
    character_error_rate: float
    reading_order: float
    table_similarity: float | None
    worst: str


def accuracy(samples: Sequence[Sample], texts: Mapping[str, str]) -> dict[str, Accuracy]:
    """Return the accuracy of each class, of the samples whose text is known.

    A sample that is not in `texts`, which are by file name, was not read: its scores are the worst.
    """
    groups: dict[str, list[tuple[str, Scores]]] = {}
    for sample in samples:
        if sample.expected is not None:
            text = texts.get(sample.name)
            found = worst_scores(sample.expected) if text is None else scores(sample.expected, text)
            groups.setdefault(sample.layout_class, []).append((sample.name, found))
    return {name: _means(groups[name]) for name in sorted(groups)}


def above(classes: Mapping[str, Accuracy], most: float) -> tuple[str, ...]:
    """Return the classes whose character error rate exceeds `most`."""
    return tuple(name for name, found in classes.items() if found.character_error_rate > most)


def _means(group: Sequence[tuple[str, Scores]]) -> Accuracy:
    tables = [s.table_similarity for _, s in group if s.table_similarity is not None]
    worst, _ = max(group, key=lambda one: one[1].character_error_rate)
    return Accuracy(
        len(group),
        fmean(s.character_error_rate for _, s in group),
        fmean(s.reading_order for _, s in group),
        fmean(tables) if tables else None,
        worst,
    )
