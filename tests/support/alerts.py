"""Alert rules of the chart, and what their expressions name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from support.documents import REPOSITORY

RULES = sorted((REPOSITORY / "charts/docparser-operator/files/rules").glob("*.yaml"))
TESTS = REPOSITORY / "tests/integration/alerts"

_SELECTOR = re.compile(r"(?<![\w:])((?:docparser|process|python)[_:][\w:]+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"')
_GROUPING = re.compile(r"\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_LABEL_OF_TEXT = re.compile(r"\$labels\.(\w+)")


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        file: name of its file, without ending.
        body: the rule as YAML has it.
    """

    file: str
    body: dict[str, Any]

    @property
    def alert(self) -> str:
        """Name of the alert."""
        return str(self.body["alert"])

    @property
    def expression(self) -> str:
        """Its PromQL."""
        return str(self.body["expr"])

    @property
    def labels_of_texts(self) -> set[str]:
        """Labels that its annotations show."""
        return set(_LABEL_OF_TEXT.findall(" ".join(self.body["annotations"].values())))


@dataclass(frozen=True)
class Selector:
    """A metric that an expression names, with the values of labels that it asks for."""

    metric: str
    matchers: dict[str, set[str]]


def rules(kind: str) -> list[Rule]:
    """Return all rules that are an `alert` or a `record`."""
    return list(_rules(kind))


def _rules(kind: str) -> Iterator[Rule]:
    for path in RULES:
        for group in yaml.safe_load(path.read_text())["groups"]:
            yield from (Rule(path.stem, body) for body in group["rules"] if kind in body)


def selectors(expression: str) -> list[Selector]:
    """Return what a PromQL expression asks for."""
    return [
        Selector(
            metric, {label: set(value.split("|")) for label, value in _MATCHER.findall(matchers)}
        )
        for metric, matchers in _SELECTOR.findall(_without_grouping(expression))
    ]


def grouped_by(expression: str) -> set[str]:
    """Return the labels by which a PromQL expression groups or joins."""
    return {
        label.strip() for labels in _GROUPING.findall(expression) for label in labels.split(",")
    }


def promtool_tests(file: Path) -> list[dict[str, Any]]:
    """Return the tests in a file of promtool's."""
    found: list[dict[str, Any]] = yaml.safe_load(file.read_text())["tests"]
    return found


def _without_grouping(expression: str) -> str:
    return _GROUPING.sub("", re.sub(r"^\s*#.*$", "", expression, flags=re.MULTILINE))
