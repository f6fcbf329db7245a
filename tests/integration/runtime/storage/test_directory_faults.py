"""A directory whose writers are killed, whose disk is full, and whose writes are watched."""

import hashlib
import io
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from docparser_api.runtime import TasksConfig
from docparser_runtime import logs
from docparser_runtime.logs import Log
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.directory import DirectoryStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.opening import open_store
from docparser_runtime.storage.partial_files import FOLDER
from docparser_runtime.storage.room import Disk, Room
from docparser_runtime.task_errors import StorageFull
from support.eventually import eventually

KILLS = 10
OPENING = """
import asyncio, sys
from pathlib import Path
from docparser_api.runtime import TasksConfig
from docparser_runtime import logs
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.opening import open_store

def opened():
    log = logs.create(sys.stderr, "info")
    return open_store("file://" + sys.argv[1], Access(), TasksConfig(), log)
"""
FROM_FILE = """
async def main():
    await (await opened()).put_file("job/upload/0", Path(sys.argv[2]))
asyncio.run(main())
"""
WITHOUT_END = """
async def put(store, name, content):
    stored = await store.put(name, content)
    print(stored.name, stored.sha256, flush=True)

async def main():
    store, number = await opened(), 0
    while True:
        names = [f"{sys.argv[2]}-{number}/page/{page}" for page in range(4)]
        await asyncio.gather(*(put(store, name, name.encode() * 20000) for name in names))
        number += 1
asyncio.run(main())
"""


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def entries(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def partials(root: Path) -> list[Path]:
    folder = root / FOLDER
    return list(folder.iterdir()) if folder.exists() else []


async def opened(root: Path, log: Log) -> ObjectStore:
    return await open_store(f"file://{root}", Access(), TasksConfig(), log)


@contextmanager
def writer(program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", OPENING + program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


async def test_a_killed_write_leaves_no_object_and_its_rest_is_swept(
    tmp_path: Path, log: Log
) -> None:
    root, source = tmp_path / "store", tmp_path / "source"
    os.mkfifo(source)
    with writer(FROM_FILE, str(root), str(source)) as process, source.open("wb") as feeder:
        feeder.write(bytes(3 * 1024**2))
        feeder.flush()
        eventually(
            lambda: sum(path.stat().st_size for path in partials(root)), lambda size: size > 0
        )
        # Another process that starts meanwhile leaves the living writer alone.
        await (await opened(root, log)).close()
        assert len(partials(root)) == 1
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert files(root) == {str(path.relative_to(root)) for path in partials(root)}
    store = await opened(root, log)
    assert files(root) == set()
    assert [prefix async for prefix in store.prefixes()] == []
    await store.close()


async def test_writers_killed_at_any_moment_lose_nothing_that_they_acknowledged(
    tmp_path: Path, log: Log
) -> None:
    root = tmp_path / "store"
    acknowledged: dict[str, str] = {}
    moments = random.Random(5)  # noqa: S311 (no secret)
    for kill in range(KILLS):
        with writer(WITHOUT_END, str(root), f"run-{kill}") as process:
            assert process.stdout is not None
            for _ in range(moments.randrange(1, 40)):
                name, digest = process.stdout.readline().split()
                acknowledged[name] = digest
            process.send_signal(signal.SIGKILL)
    store = await opened(root, log)
    assert partials(root) == []
    for name, digest in acknowledged.items():
        await store.get(name, digest)
    for name in files(root):
        content = name.encode() * 20000
        await store.get(name, hashlib.sha256(content).hexdigest())
    assert len(acknowledged) > KILLS
    await store.close()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_content_then_name_then_folders_reach_the_disk(tmp_path: Path) -> None:
    root, source, trace = tmp_path / "store", tmp_path / "source", tmp_path / "trace"
    source.write_bytes(b"text")
    calls = "trace=openat,write,fsync,rename"
    command = [sys.executable, "-c", OPENING + FROM_FILE, str(root), str(source)]
    subprocess.run(["strace", "-f", "-y", "-e", calls, "-o", str(trace), *command], check=True)
    lines = trace.read_text().splitlines()
    written = next(n for n, line in enumerate(lines) if re.search(r'write\(.*"text"', line))
    seen = [
        (found[1], found[2])
        for line in lines[written:]
        if (found := re.search(rf'(fsync|rename)\((?:\d+<|"){re.escape(str(root))}([^>"]*)', line))
    ]
    kinds = [kind for kind, _ in seen]
    assert kinds == ["fsync", "rename", "fsync", "fsync", "fsync"]
    assert seen[0][1] == seen[1][1]
    assert [place for _, place in seen[2:]] == ["/job/upload", "/job", ""]


@pytest.fixture
def full_store(tiny_disk: Path, log: Log) -> DirectoryStore:
    """Return a store that learns only from the system that its disk is full."""
    room = Room(tiny_disk, None, lambda _: Disk(10**12, 10**12))
    return DirectoryStore(tiny_disk, room, Failures(log))


async def until_full(store: ObjectStore, names: list[str], content: bytes) -> list[str]:
    """Write until there is no room; return the names of what was written."""
    for written, name in enumerate(names):
        try:
            await store.put(name, content)
        except StorageFull:
            return names[:written]
    raise AssertionError("the disk is larger than it should be")


async def test_a_full_disk_is_told_and_nothing_is_left(
    full_store: DirectoryStore, tiny_disk: Path, tmp_path: Path
) -> None:
    await full_store.put("job/upload/0", bytes(1024**2))
    (tmp_path / "big").write_bytes(bytes(8 * 1024**2))
    with pytest.raises(StorageFull):
        await full_store.put("big/upload/0", bytes(8 * 1024**2))
    with pytest.raises(StorageFull):
        await full_store.put_file("big/upload/0", tmp_path / "big")
    assert files(tiny_disk) == {"job/upload/0"}
    assert partials(tiny_disk) == []
    await full_store.put("job/upload/1", bytes(2 * 1024**2))
    await full_store.close()


async def test_a_disk_without_inodes_is_full_at_whatever_step_it_ends(
    full_store: DirectoryStore, tiny_disk: Path
) -> None:
    # With one folder more each time, the last inode is missed by another step.
    folders = ["/".join(["deep"] * (1 + number % 3)) for number in range(100)]
    names = [f"job{number}/{path}/0" for number, path in enumerate(folders)]
    stored = await until_full(full_store, names, b"text")
    assert files(tiny_disk) == set(stored)
    jobs = {name.partition("/")[0] for name in stored}
    assert entries(tiny_disk) == {FOLDER, *jobs}
    await full_store.delete_prefix("job0/")
    await full_store.put("new/upload/0", b"text")
    await full_store.close()


async def test_a_small_disk_keeps_its_twentieth(tiny_disk: Path) -> None:
    store = await opened(tiny_disk, logs.create(io.StringIO(), "info"))
    names = [f"job/page/{number}" for number in range(30)]
    assert await until_full(store, names, bytes(256 * 1024)) != []
    found = os.statvfs(tiny_disk)
    assert found.f_bavail >= found.f_blocks // 20
    await store.close()
