"""What a store of objects promises."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Stored:
    """An object that was written.

    Attributes:
        name: such as `JOB/upload/0`.
        sha256: digest of its content, as hex.
    """

    name: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Link:
    """An address from which anybody can download an object; it is a secret until it expires."""

    url: str = field(repr=False)
    expires_at: datetime


class ObjectMissing(Exception):  # noqa: N818 (a finding)
    """There is no object of this name."""


class ObjectDamaged(Exception):  # noqa: N818 (a finding)
    """The object's content is not what was written."""


class ObjectStore(Protocol):
    """Objects by name. An object is there as a whole or not at all, and never changes.

    Names have two or more parts, such as `JOB/upload/0`, of letters, digits, `_`, `-` and `.`; no
    part begins with a `.`. A name is used once; who writes it again, as after a lost answer,
    replaces the object as a whole.

    Every method raises `StorageUnavailable` (503) when the store does not answer.
    """

    async def check_room(self, size_bytes: int) -> None:
        """Return when that many bytes can be written.

        Raises:
            StorageFull: they cannot (507).
        """
        ...

    async def put(self, name: str, content: bytes) -> Stored:
        """Write an object; on return it is safe on disk.

        Raises:
            StorageFull: there is no room, and nothing was left behind (507).
        """
        ...

    async def put_file(self, name: str, file: Path) -> Stored:
        """The same with the content of a file, which is never held in memory as a whole."""
        ...

    async def get(self, name: str, sha256: str | None = None) -> bytes:
        """Return the object's content.

        Raises:
            ObjectMissing: there is no such object.
            ObjectDamaged: its digest is not `sha256`.
        """
        ...

    async def stream(self, name: str, sha256: str | None = None) -> AsyncIterator[bytes]:
        """Return the object in pieces; its digest is checked before the first one."""
        ...

    async def delete_prefix(self, prefix: str) -> None:
        """Delete all objects whose name begins with `prefix`, which ends with `/`."""
        ...

    def prefixes(self) -> AsyncIterator[str]:
        """Yield the first parts of the names of all objects: the jobs that have any."""
        ...

    async def link(self, name: str) -> Link | None:
        """Return a link to the object, whether it is there or not; None where none are given."""
        ...

    async def close(self) -> None:
        """Free what it took."""
        ...
