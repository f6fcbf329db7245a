"""Memory that is not needed any more."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from docparser_runtime.engine import heap


class Node:
    """Something that can point to itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def no_collections() -> Iterator[None]:
    """No collection happens by itself, and nothing is left out of them afterwards."""
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("no_collections")
def test_what_the_start_has_made_stays_and_what_comes_later_is_freed() -> None:
    early, late = Node(), Node()
    seen = weakref.ref(late)
    heap.settle()
    assert gc.is_tracked(early)
    assert gc.get_freeze_count() > 0
    counted = len(gc.get_objects())
    later = Node()
    garbage = weakref.ref(later)
    del later, late
    heap.collect()
    assert garbage() is None
    assert seen() is not None, "it was frozen: its cycle is not looked for any more"
    assert len(gc.get_objects()) < counted + 1000
