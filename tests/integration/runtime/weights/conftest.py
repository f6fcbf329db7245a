"""Fixtures of the tests of weights with real processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from unit.runtime.weights.model import Pod, a_pod


@pytest.fixture
def pod(tmp_path: Path) -> Iterator[Pod]:
    yield from a_pod(tmp_path)


@pytest.fixture
def served(tmp_path: Path, pod: Pod) -> Path:
    """Return the directory with the files that the server has."""
    return tmp_path / "served" / "files"
