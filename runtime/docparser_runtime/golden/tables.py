"""How similar two tables are: TEDS, the tree-edit-distance-based similarity.

Zhong, ShafieiBavani, Jimeno Yepes: "Image-based table recognition: data, model, and evaluation"
(ECCV 2020), section 5. A table is a tree of rows and cells. Putting a node in or taking it out
costs 1; turning a cell into another costs 1 if their spans differ, else the normalised edit
distance of their texts. The similarity is 1 - distance / nodes of the larger tree. Head and body
are not told apart: Markdown always has a head, and engines that write HTML rarely mark one.

The distance is that of Pawlik and Augsten (APTED, "Tree edit distance: robust and
memory-efficient", Information Systems 56, 2016).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from apted import APTED, Config  # type: ignore[import-untyped]
from rapidfuzz.distance import Levenshtein

from docparser_runtime.golden.pieces import Cell, Table

MOST_NODES: Final = 250
"""Nodes of an expected table that are compared in one go (about 0.6 s). A longer table is compared
in bands of as many rows, which can only make it less similar: nothing moves between bands."""
MOST_TIMES_LARGER: Final = 10
"""A table of so many times the expected nodes is at most 1/10 similar; it is not compared."""


@dataclass(frozen=True)
class _Node:
    """A table, a row or a cell; only cells have a value."""

    kind: str
    cell: Cell | None = None
    children: tuple["_Node", ...] = ()


class _Costs(Config):  # type: ignore[misc]
    """The costs of the paper."""

    valuecls = float

    def rename(self, node1: _Node, node2: _Node) -> float:
        """Return what it costs to turn one node into another."""
        one, other = node1.cell, node2.cell
        if one is None or other is None:
            return float(node1.kind != node2.kind)
        if (one.columns, one.rows) != (other.columns, other.rows):
            return 1.0
        return Levenshtein.normalized_distance(one.text, other.text)


def table_similarity(expected: Sequence[Table], actual: Sequence[Table]) -> float | None:
    """Return the mean similarity of the most similar pairs; None when no table is expected.

    A table without counterpart, on either side, counts as a pair without similarity.
    """
    if not expected:
        return None
    pairs = [
        (teds(table, other), place, other_place)
        for (place, table), (other_place, other) in product(enumerate(expected), enumerate(actual))
    ]
    total, taken, other_taken = 0.0, set[int](), set[int]()
    for value, place, other_place in sorted(pairs, key=lambda pair: (-pair[0], *pair[1:])):
        if place not in taken and other_place not in other_taken:
            total += value
            taken.add(place)
            other_taken.add(other_place)
    return total / max(len(expected), len(actual))


def teds(expected: Table, actual: Table) -> float:
    """Return the similarity of two tables, 0 to 1."""
    nodes, actual_nodes = _nodes(expected), _nodes(actual)
    if actual_nodes >= MOST_TIMES_LARGER * nodes:
        return 0.0
    if expected == actual:
        return 1.0
    return max(1 - _distance(expected, actual) / max(nodes, actual_nodes), 0.0)


def _distance(expected: Table, actual: Table) -> float:
    widest = max((len(row) for row in expected), default=0)
    step = max(MOST_NODES // (widest + 1), 1)
    total = 0.0
    for start in range(0, max(len(expected), len(actual)), step):
        band, other = expected[start : start + step], actual[start : start + step]
        if band != other:
            total += _tree_distance(band, other)
    return total


def _tree_distance(expected: Table, actual: Table) -> float:
    if not expected or not actual:
        return _nodes(expected) + _nodes(actual) - 2.0  # both roots stay
    return float(APTED(_tree(expected), _tree(actual), _Costs()).compute_edit_distance())


def _tree(table: Table) -> _Node:
    rows = (_Node("row", None, tuple(_Node("cell", cell) for cell in row)) for row in table)
    return _Node("table", None, tuple(rows))


def _nodes(table: Table) -> int:
    return 1 + sum(1 + len(row) for row in table)
