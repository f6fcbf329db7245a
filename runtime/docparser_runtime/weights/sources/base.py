"""What a source of weights promises."""

from collections.abc import AsyncGenerator
from typing import Protocol

from docparser_runtime.weights.manifest import File


class Source(Protocol):
    """Gives files and pieces of files. Several reads may run at the same time."""

    def read(self, file: File, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of `file` from `start` to before `end`, in chunks of about 1 MiB.

        Raises:
            InterruptedRead: trying again may help.
            RangesIgnored: the server gives whole files only.
            WeightsError: trying again does not help.
        """
        ...

    async def read_whole(self, path: str, most_bytes: int) -> bytes:
        """Return the content of a small file, cut off after `most_bytes` and one.

        Raises:
            InterruptedRead: trying again may help.
            WeightsError: trying again does not help.
        """
        ...

    async def close(self) -> None:
        """Give connections back."""
        ...


class RangesIgnored(Exception):  # noqa: N818 (a property of the server)
    """The server answered a request for a piece with the whole file."""


CHUNK_BYTES = 1024**2
"""Bytes that are read before they are written. One chunk per connection is held in memory."""
CONNECT_SECONDS = 5
"""Longest time until a connection stands."""
READ_SECONDS = 10
"""Longest time without any byte."""
