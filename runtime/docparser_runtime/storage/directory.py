"""Objects as files below a directory.

Written with plain calls of the system: `obstore` renames its files without fsync, so that after a
loss of power an acknowledged object could be empty or gone.
"""

import asyncio
import hashlib
import os
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final, TypeVar

from docparser_runtime.storage.base import Link, ObjectDamaged, ObjectMissing, Stored
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.folders import (
    folders_with,
    remove_empty,
    removed_bytes,
    sync_folders,
)
from docparser_runtime.storage.object_names import checked, checked_prefix
from docparser_runtime.storage.partial_files import PartialFile, PartialFiles
from docparser_runtime.storage.room import NoRoom, Room
from docparser_runtime.weights.digests import Stopped, sha256_of

T = TypeVar("T")

CHUNK_BYTES: Final = 1024**2
_THREADS: Final = 8
"""They wait for the disk; the loop's own threads must stay free for others."""
_TRIES: Final = 20
"""A folder can be removed, as empty, by a deletion at the moment when it gets a file."""


class DirectoryStore:
    """The store in a directory, which several processes may share.

    Opening it removes what dead writers left. Objects lie at their names; dotted names are ours.
    """

    def __init__(self, root: Path, room: Room, failures: Failures) -> None:
        self._root = str(root)
        self._room = room
        self._failures = failures
        self._partials = PartialFiles(root)
        self._partials.sweep()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="storage")
        self._renaming = threading.Lock()

    async def check_room(self, size_bytes: int) -> None:
        """Return when that many bytes can be written."""
        await self._run(lambda _: self._check(size_bytes))

    async def put(self, name: str, content: bytes) -> Stored:
        """Write an object; on return file and folders are on disk."""
        view = memoryview(content)
        pieces = (view[at : at + CHUNK_BYTES] for at in range(0, len(view), CHUNK_BYTES))
        return await self._run(lambda stop: self._write(name, len(content), pieces, stop))

    async def put_file(self, name: str, file: Path) -> Stored:
        """The same with the content of a file."""
        return await self._run(lambda stop: self._copy(name, file, stop))

    async def get(self, name: str, sha256: str | None = None) -> bytes:
        """Return the object's content."""
        return await self._run(lambda _: self._read(name, sha256))

    async def stream(self, name: str, sha256: str | None = None) -> AsyncIterator[bytes]:
        """Return the object in pieces; its digest is checked before the first one."""
        await self._run(lambda _: self._verify(name, sha256))
        return self._pieces(name)

    async def delete_prefix(self, prefix: str) -> None:
        """Delete all objects below `prefix`."""
        await self._run(lambda _: self._delete(prefix))

    async def prefixes(self) -> AsyncGenerator[str, None]:
        """Yield the first parts of all names."""
        for name in await self._run(lambda _: self._prefixes()):
            yield name

    async def link(self, name: str) -> Link | None:
        """Return None: files have no address."""
        checked(name)
        return None

    async def close(self) -> None:
        """Return once the threads have ended what they do."""
        await asyncio.to_thread(self._threads.shutdown)

    async def _run(self, work: Callable[[threading.Event], T]) -> T:
        """Return what `work` returns in a thread; when cancelled, stop it and wait until it has."""
        stop = threading.Event()
        running = asyncio.get_running_loop().run_in_executor(self._threads, work, stop)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()  # looked at, so that nobody calls it lost
            raise

    def _check(self, size: int) -> None:
        with self._failures.of_system():
            try:
                self._room.check(size)
            except NoRoom as error:
                raise self._failures.full(str(error)) from None

    def _copy(self, name: str, file: Path, stop: threading.Event) -> Stored:
        with file.open("rb") as source:
            size = os.fstat(source.fileno()).st_size
            pieces = iter(lambda: source.read(CHUNK_BYTES), b"")
            return self._write(name, size, pieces, stop)

    def _write(
        self, name: str, size: int, pieces: Iterator[bytes | memoryview], stop: threading.Event
    ) -> Stored:
        path = self._path(name)
        digest, written = hashlib.sha256(), 0
        with self._failures.of_system():
            try:
                with self._room.reserved(size) as note, self._partials.new() as partial:
                    for piece in pieces:
                        _stop_if(stop)
                        partial.write(piece)
                        digest.update(piece)
                        written += len(piece)
                    partial.sync()
                    _stop_if(stop)
                    note(written - self._publish(partial, path))
                sync_folders(os.path.dirname(path), self._root)
            except NoRoom as error:
                raise self._failures.full(str(error)) from None
        return Stored(name, digest.hexdigest(), written)

    def _path(self, name: str) -> str:
        return f"{self._root}/{checked(name)}"

    def _publish(self, partial: PartialFile, path: str) -> int:
        """Give the file its name; return the size of the file that had it before."""
        try:
            with self._renaming:
                replaced = os.stat(path).st_size if os.path.isfile(path) else 0
                self._rename(partial, path)
        except OSError:
            remove_empty(os.path.dirname(path), self._root)
            raise
        return replaced

    def _rename(self, partial: PartialFile, path: str) -> None:
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):
                folders_with(os.path.dirname(path), self._root)
                os.rename(partial.path, path)
                return
        raise FileNotFoundError(None, "a folder vanishes whenever it is made")

    def _read(self, name: str, sha256: str | None) -> bytes:
        path = self._path(name)
        with self._failures.of_system():
            content = _found(lambda: _content(path))
        if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
            raise ObjectDamaged(name)
        return content

    def _verify(self, name: str, sha256: str | None) -> None:
        path = self._path(name)
        with self._failures.of_system():
            if sha256 is None:
                _found(lambda: open(path, "rb").close())
            elif _found(lambda: sha256_of(path)) != sha256:
                raise ObjectDamaged(name)

    async def _pieces(self, name: str) -> AsyncGenerator[bytes, None]:
        path = self._path(name)
        with self._failures.of_system():
            # An open file cannot be deleted under the reader.
            file = await self._run(lambda _: _found(lambda: FileIO(path)))
            with file:
                while piece := await self._run(lambda _: file.read(CHUNK_BYTES)):
                    yield piece

    def _delete(self, prefix: str) -> None:
        folder = f"{self._root}/{checked_prefix(prefix).rstrip('/')}"
        with self._failures.of_system():
            self._room.remove(removed_bytes(folder))
            remove_empty(os.path.dirname(folder), self._root)

    def _prefixes(self) -> list[str]:
        with self._failures.of_system(), os.scandir(self._root) as entries:
            return [one.name for one in entries if one.is_dir() and not one.name.startswith(".")]


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _stop_if(stop: threading.Event) -> None:
    if stop.is_set():
        raise Stopped


def _found(read: Callable[[], T]) -> T:
    try:
        return read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise ObjectMissing from None
