"""Counting of used bytes and of what is left."""

import time
from pathlib import Path

import pytest
from docparser_runtime.storage.room import Disk, NoRoom, Room, disk_of
from support.fake_clock import FakeClock

FREE = Disk(10**9, 10**9)


def room(root: Path, most: int | None, disk: Disk = FREE) -> Room:
    return Room(root, most, lambda _: disk)


@pytest.mark.parametrize(
    ("disk", "size", "fits"),
    [
        (Disk(1000, 100), 50, True),
        (Disk(1000, 100), 51, False),
        (Disk(1000, 50), 0, True),
        (Disk(1000, 49), 0, False),
        (Disk(1000, 0), 1, False),
    ],
)
def test_without_a_quota_a_twentieth_stays_free(
    tmp_path: Path, disk: Disk, size: int, *, fits: bool
) -> None:
    if fits:
        room(tmp_path, None, disk).check(size)
    else:
        with pytest.raises(NoRoom, match="twentieth"):
            room(tmp_path, None, disk).check(size)


def test_a_quota_that_is_larger_than_the_disk_helps_nobody(tmp_path: Path) -> None:
    with pytest.raises(NoRoom, match="disk is full"):
        room(tmp_path, 10**9, Disk(10**9, 10)).check(11)


def test_what_is_being_written_counts(tmp_path: Path) -> None:
    for found in (room(tmp_path, 100), room(tmp_path, None, Disk(1000, 150))):
        with found.reserved(60):
            found.check(40)
            with pytest.raises(NoRoom):
                found.check(41)
        found.check(100)


def test_a_failed_write_gives_its_room_back(tmp_path: Path) -> None:
    found = room(tmp_path, 100)
    with pytest.raises(ValueError, match="any"), found.reserved(60):
        raise ValueError("any")
    found.check(100)


def test_it_counts_anew_before_it_refuses(tmp_path: Path) -> None:
    clock = FakeClock()
    (tmp_path / "a").write_bytes(bytes(100))
    found = Room(tmp_path, 100, lambda _: FREE, clock.monotonic)
    (tmp_path / "a").unlink()  # by another process
    with pytest.raises(NoRoom):
        found.check(1)
    clock.advance(2)
    found.check(100)


def test_what_others_write_is_seen_after_a_while(tmp_path: Path) -> None:
    clock = FakeClock()
    found = Room(tmp_path, 100, lambda _: FREE, clock.monotonic)
    (tmp_path / "a").write_bytes(bytes(100))
    found.check(100)
    clock.advance(31)
    with pytest.raises(NoRoom):
        found.check(1)


def test_counting_does_not_look_at_what_is_being_written(tmp_path: Path) -> None:
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial" / "x").write_bytes(bytes(100))
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "0").write_bytes(bytes(7))
    assert room(tmp_path, 100).used_bytes == 7


def test_the_count_never_falls_below_nothing(tmp_path: Path) -> None:
    found = room(tmp_path, 100)
    found.remove(50)
    assert found.used_bytes == 0


def test_a_disk_has_a_size(tmp_path: Path) -> None:
    disk = disk_of(tmp_path)
    assert 0 <= disk.free <= disk.total
    assert disk.total > 0


def test_a_write_does_not_walk(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}").write_bytes(b"x")
    found = Room(tmp_path, 10**6)
    began = time.process_time()
    for _ in range(1000):
        found.check(1)
    assert time.process_time() - began < 0.5
