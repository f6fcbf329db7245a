"""The count of a storm finds what it is there to find."""

import itertools

import pytest
from support.queue_chaos_count import Count, counted
from support.queue_processes import Entry


def count(record: str) -> Count:
    """Return the count of a record: worker, what it did, and a page, of one job."""
    time_ns = itertools.count()
    found = []
    for line in record.split(","):
        pid, what, *page = line.split()
        found.append(Entry(what, "job", int(page[0]) if page else -1, int(pid), next(time_ns)))
    return counted(found, [])


@pytest.mark.parametrize(
    ("what", "record", "in_hand", "woken", "read_again"),
    [
        ("goes well", "1 ask, 1 claim, 1 page 0, 1 saved 0", 0, 0, 0),
        ("killed", "1 ask, 1 claim, 1 page 0, 2 ask, 2 claim, 2 page 0, 2 saved 0", 1, 0, 0),
        ("saved", "1 ask, 1 claim, 1 page 0, 1 saved 0, 2 ask, 2 claim, 2 page 0", 0, 0, 1),
        (
            "woken late",
            "1 ask, 1 claim, 2 ask, 2 claim, 2 page 0, 2 saved 0, 1 page 0, 1 lost",
            *(0, 1, 0),
        ),
        (
            "paused before it could tell of its claim",
            "1 ask, 2 ask, 2 claim, 2 page 0, 2 saved 0, 1 claim, 1 page 0, 1 lost",
            *(0, 1, 0),
        ),
        (
            "both had it",
            "1 ask, 1 claim, 2 ask, 2 claim, 2 page 0, 2 saved 0, 1 page 0, 1 saved 0",
            *(0, 0, 1),
        ),
    ],
)
def test_pages_that_are_read_twice(
    what: str, record: str, in_hand: int, woken: int, read_again: int
) -> None:
    found = count(record)
    assert (found.in_hand, found.woken, found.read_again) == (in_hand, woken, read_again), what


def test_lost_jobs_and_ends_that_came_twice() -> None:
    found = count("1 try, 1 ack, 1 ask, 1 claim, 1 done, 2 ask, 2 claim, 2 done")
    assert (found.lost, found.finished_twice) == (1, 1)
    assert not found.is_sound(window=1)


def test_more_in_hand_than_is_saved_at_once() -> None:
    found = count("1 ask, 1 claim, 1 page 0, 1 page 1, 1 saved 0, 1 saved 1")
    assert found.most_in_hand == 2
    assert found.is_sound(window=2)
    assert not found.is_sound(window=1)
