"""What only a directory has: a quota, left-over files, damage, other processes."""

import asyncio
import hashlib
import io
import json
import os
import shutil
from pathlib import Path

import pytest
from docparser_runtime.logs import Log
from docparser_runtime.storage.base import ObjectDamaged, ObjectMissing, ObjectStore
from docparser_runtime.storage.directory import DirectoryStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.partial_files import FOLDER, PartialFiles
from docparser_runtime.storage.room import Room
from docparser_runtime.task_errors import StorageFull, StorageUnavailable

MIB = 1024**2
QUOTA = 8 * MIB


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def small(root: Path, log: Log) -> DirectoryStore:
    """Return a store of 8 MiB."""
    root.mkdir()
    return DirectoryStore(root, Room(root, QUOTA), Failures(log))


def files(root: Path) -> set[str]:
    """Return all that lies there, ours and what dead writers left."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def folders(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}


async def test_objects_lie_at_their_names_for_their_owner_only(
    small: DirectoryStore, root: Path
) -> None:
    await small.put("job/page/0", b"text")
    assert files(root) == {"job/page/0"}
    assert (root / "job/page/0").stat().st_mode & 0o777 == 0o600
    assert (root / "job").stat().st_mode & 0o777 == 0o700


async def test_deletion_leaves_no_folders(small: DirectoryStore, root: Path) -> None:
    await small.put("job/page/0", b"text")
    await small.put("job/upload/deep/0", b"text")
    await small.delete_prefix("job/")
    assert folders(root) == {FOLDER}


@pytest.mark.parametrize("change", [b"Text", b"text and more", b"te", b""])
async def test_damage_is_found(small: DirectoryStore, root: Path, change: bytes) -> None:
    stored = await small.put("job/result/0", b"text")
    (root / "job/result/0").write_bytes(change)
    with pytest.raises(ObjectDamaged):
        await small.get("job/result/0", stored.sha256)
    with pytest.raises(ObjectDamaged):
        await small.stream("job/result/0", stored.sha256)


async def test_a_stream_survives_deletion_once_it_has_begun(small: DirectoryStore) -> None:
    await small.put("job/result/0", bytes(3 * MIB))
    pieces = await small.stream("job/result/0")
    first = await anext(pieces)
    await small.delete_prefix("job/")
    rest = [piece async for piece in pieces]
    assert len(first) + sum(map(len, rest)) == 3 * MIB


async def test_a_stream_that_is_deleted_before_it_begins_is_missing(small: DirectoryStore) -> None:
    await small.put("job/result/0", b"text")
    pieces = await small.stream("job/result/0")
    await small.delete_prefix("job/")
    with pytest.raises(ObjectMissing):
        await anext(pieces)


async def test_beyond_the_quota_nothing_is_written(
    small: DirectoryStore, root: Path, stream: io.StringIO
) -> None:
    await small.put("job/upload/0", bytes(QUOTA - MIB))
    await small.check_room(MIB)
    for refused in (small.check_room(MIB + 1), small.put("new/upload/0", bytes(MIB + 1))):
        with pytest.raises(StorageFull):
            await refused
    assert files(root) == {"job/upload/0"}
    assert folders(root) == {FOLDER, "job", "job/upload"}
    events = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {one["event"] for one in events} == {"storage_full"}
    assert "tasks.maxStoreBytes" in events[0]["reason"]
    await small.put("new/upload/0", bytes(MIB))


async def test_replaced_and_deleted_objects_leave_room(small: DirectoryStore) -> None:
    for _ in range(3):
        await small.put("job/upload/0", bytes(5 * MIB // 2))
    await small.put("job/upload/1", bytes(5 * MIB // 2))
    await small.delete_prefix("job/")
    await small.put("job/upload/2", bytes(QUOTA))


async def test_writers_at_the_same_time_keep_the_quota(small: DirectoryStore, root: Path) -> None:
    writes = [small.put(f"job/page/{number}", bytes(MIB)) for number in range(24)]
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert sum(isinstance(one, StorageFull) for one in results) == 16
    assert len(files(root)) == 8


async def test_what_lies_there_at_the_start_counts(root: Path, log: Log) -> None:
    (root / "old" / "upload").mkdir(parents=True)
    (root / "old" / "upload" / "0").write_bytes(bytes(QUOTA))
    store = DirectoryStore(root, Room(root, QUOTA), Failures(log))
    with pytest.raises(StorageFull):
        await store.put("job/upload/0", b"x")


async def test_deletion_beside_writing_harms_nobody(small: DirectoryStore, root: Path) -> None:
    async def write(number: int) -> None:
        for _ in range(20):
            await small.put(f"job/page{number}/0", b"text")

    async def delete(number: int) -> None:
        for _ in range(20):
            await small.delete_prefix(f"job/page{number}/")

    await asyncio.gather(*(work(number) for number in range(3) for work in (write, delete)))
    assert not list((root / FOLDER).iterdir())


async def test_left_over_files_of_dead_writers_only_are_swept(root: Path, log: Log) -> None:
    partials = PartialFiles(root)
    (root / FOLDER / "of-a-dead-one").write_bytes(b"half")
    with partials.new() as alive:
        alive.write(b"half")
        DirectoryStore(root, Room(root, None), Failures(log))
        assert list((root / FOLDER).iterdir()) == [Path(alive.path)]
    assert not list((root / FOLDER).iterdir())


async def test_a_cancelled_write_leaves_nothing(
    small: DirectoryStore, root: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    os.mkfifo(source)
    writing = asyncio.create_task(small.put_file("job/upload/0", source))
    feeder = await asyncio.to_thread(source.open, "wb")
    with feeder:
        feeder.write(b"half")
        feeder.flush()
        writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert files(root) == set()


async def test_a_directory_that_is_gone_is_unavailable(
    small: DirectoryStore, root: Path, stream: io.StringIO
) -> None:
    await small.put("job/upload/0", b"text")
    shutil.rmtree(root)
    with pytest.raises(StorageUnavailable) as failure:
        await small.put("job/upload/1", b"text")
    assert failure.value.headers == {"Retry-After": "5"}
    assert str(root) not in failure.value.detail
    assert "No such file" in stream.getvalue()


async def test_a_folder_in_the_way_is_not_taken_for_room(small: DirectoryStore) -> None:
    await small.put("job/page/0", b"text")
    for name in ("job/page", "job/page/0/1"):
        with pytest.raises(StorageUnavailable):
            await small.put(name, b"text")
    assert await small.get("job/page/0", hashlib.sha256(b"text").hexdigest()) == b"text"


async def test_it_has_no_addresses(directory: ObjectStore) -> None:
    await directory.put("job/result/0", b"{}")
    assert await directory.link("job/result/0") is None
