"""One piece of one file, streamed from the source to its place on disk."""

import asyncio
import os
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from docparser_runtime.weights.errors import Code, InterruptedRead, WeightsError, storage
from docparser_runtime.weights.manifest import File
from docparser_runtime.weights.retrying import Patience, Retrying
from docparser_runtime.weights.sources.base import RangesIgnored, Source


@dataclass(frozen=True)
class Piece:
    """The bytes of `file` from `start` to before `end`, which come to lie below `directory`."""

    source: Source
    directory: Path
    file: File
    start: int
    end: int

    async def fetch(self, retrying: Retrying, count: Callable[[int], None]) -> None:
        """Fetch it, going on after interruptions where it stopped; tell `count` the bytes.

        Raises:
            RangesIgnored: only the whole file can be had, and this is a part.
            WeightsError: it cannot be had.
        """
        patience = Patience(retrying)
        with storage(self.file.path):
            flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self.directory / self.file.path, flags)
        try:
            position = self.start
            while position < self.end:
                writer = _Writer(descriptor, position, self.end, self.file.path)
                try:
                    await self._stream(writer, count)
                except InterruptedRead as error:
                    await patience.after(error)
                except RangesIgnored:
                    if (self.start, self.end) != (0, self.file.size):
                        raise
                    writer.position = 0
                position = writer.position
        finally:
            # On network file systems this is where a full disk shows.
            with storage(self.file.path):
                os.close(descriptor)

    async def _stream(self, writer: "_Writer", count: Callable[[int], None]) -> None:
        async with aclosing(self.source.read(self.file, writer.position, self.end)) as chunks:
            async for chunk in chunks:
                await writer.write(chunk)
                count(len(chunk))
        if writer.position < self.end:
            missing = self.end - writer.position
            raise InterruptedRead(
                Code.FILE_SHORT, self.file.path, f"ended {missing} bytes too early"
            )


class _Writer:
    """Writes chunks one behind the other, in a thread: the disk may be slow.

    Attributes:
        position: where the next chunk belongs.
    """

    def __init__(self, descriptor: int, position: int, end: int, path: str) -> None:
        self.position = position
        self._descriptor = descriptor
        self._end = end
        self._path = path

    async def write(self, chunk: bytes) -> None:
        if self.position + len(chunk) > self._end:
            raise WeightsError(
                Code.SOURCE_UNAVAILABLE, self._path, "the server sends more than asked"
            )
        work = asyncio.ensure_future(asyncio.to_thread(self._written, chunk))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            # The number of a closed descriptor is given to the next file: nobody may write then.
            await asyncio.wait([work])
            raise
        self.position += len(chunk)

    def _written(self, chunk: bytes) -> None:
        done = 0
        with storage(self._path):
            while done < len(chunk):
                view = memoryview(chunk)[done:]
                done += os.pwrite(self._descriptor, view, self.position + done)
