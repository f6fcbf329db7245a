"""Objects in a bucket of an S3-compatible store.

An upload that dies between its parts leaves them in the bucket, invisible; a rule of the bucket
that aborts incomplete multipart uploads, such as after a day, removes them.
"""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import obstore

from docparser_runtime import s3_access
from docparser_runtime.s3_access import Bucket, Patience
from docparser_runtime.storage.base import Link, ObjectDamaged, ObjectMissing, Stored
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.object_names import checked, checked_prefix
from docparser_runtime.task_errors import StorageFull, StorageUnavailable
from docparser_runtime.weights.digests import sha256_of

if TYPE_CHECKING:
    from obstore import GetResult

CHUNK_BYTES: Final = 1024**2
PART_BYTES: Final = 8 * 1024**2
"""Larger objects are written in parts of this size."""
_CONNECTIONS: Final = 4
"""Parts of one object that are written at the same time; each is held in memory."""
_HELD_BYTES: Final = PART_BYTES
"""Content whose digest is not known yet is held in memory up to this size, then in a file."""
PATIENCE: Final = Patience(
    connect_seconds=5, read_seconds=15, request_seconds=120, retries=3, retry_seconds=30
)
_FULL: Final = ("status code: 507", "StorageFull", "QuotaExceeded")


class BucketStore:
    """The store below a prefix of a bucket, which any number of processes may share.

    Args:
        link_seconds: how long links are good; None for no links.
    """

    def __init__(
        self,
        bucket: Bucket,
        failures: Failures,
        patience: Patience = PATIENCE,
        link_seconds: int | None = None,
    ) -> None:
        self._bucket = bucket
        self._failures = failures
        self._link_seconds = link_seconds
        self._store = s3_access.store_of(bucket, patience)

    async def check(self) -> None:
        """Return when the bucket answers and may be looked into.

        Raises:
            StorageUnavailable: it does not, or may not.
        """
        with self._translated():
            async for _ in obstore.list(self._store, prefix="check"):
                pass

    async def check_room(self, size_bytes: int) -> None:
        """Return: how much room a bucket has cannot be asked."""

    async def put(self, name: str, content: bytes) -> Stored:
        """Write an object."""
        sha256 = await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest())
        await self._put(name, content, len(content))
        return Stored(name, sha256, len(content))

    async def put_file(self, name: str, file: Path) -> Stored:
        """The same with the content of a file."""
        sha256 = await asyncio.to_thread(sha256_of, file)
        size = file.stat().st_size  # noqa: ASYNC240 (just read, hence known without the disk)
        await self._put(name, file, size)
        return Stored(name, sha256, size)

    async def get(self, name: str, sha256: str | None = None) -> bytes:
        """Return the object's content."""
        with self._translated():
            result = await obstore.get_async(self._store, checked(name))
            content = bytes(await result.bytes_async())
        if sha256 is not None:
            found = await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest())
            _refuse_other(name, found, sha256)
        return content

    async def stream(self, name: str, sha256: str | None = None) -> AsyncIterator[bytes]:
        """Return the object in pieces; its digest is checked before the first one."""
        with self._translated():
            result = await obstore.get_async(self._store, checked(name))
        if sha256 is None:
            return self._pieces(result)
        # What was checked is what is sent: it is not fetched a second time.
        held = tempfile.SpooledTemporaryFile(_HELD_BYTES)  # noqa: SIM115 (closed by its reader)
        try:
            _refuse_other(name, await self._fill(held, result), sha256)
        except BaseException:
            held.close()
            raise
        return _read(held)

    async def delete_prefix(self, prefix: str) -> None:
        """Delete all objects below `prefix`."""
        folder = checked_prefix(prefix)
        with self._translated():
            async for found in obstore.list(self._store, prefix=folder):
                await obstore.delete_async(self._store, [one["path"] for one in found])

    async def prefixes(self) -> AsyncGenerator[str, None]:
        """Yield the first parts of all names."""
        with self._translated():
            found = await obstore.list_with_delimiter_async(self._store)
        for path in found["common_prefixes"]:
            yield path.strip("/")

    async def link(self, name: str) -> Link | None:
        """Return a link; None also without keys, which it would have to be signed with."""
        place = checked(name)
        if self._link_seconds is None or self._bucket.credentials.secret_access_key is None:
            return None
        valid = timedelta(seconds=self._link_seconds)
        expires_at = datetime.now(UTC) + valid
        with self._translated():
            return Link(await obstore.sign_async(self._store, "GET", place, valid), expires_at)

    async def close(self) -> None:
        """Do nothing: the store closes its connections when it is let go."""

    async def _put(self, name: str, content: bytes | Path, size: int) -> None:
        with self._translated():
            await obstore.put_async(
                self._store,
                checked(name),
                content,
                use_multipart=size > PART_BYTES,
                chunk_size=PART_BYTES,
                max_concurrency=_CONNECTIONS,
            )

    async def _pieces(self, result: "GetResult") -> AsyncGenerator[bytes, None]:
        with self._translated():
            async for piece in result.stream(min_chunk_size=CHUNK_BYTES):
                yield bytes(piece)

    async def _fill(self, held: IO[bytes], result: "GetResult") -> str:
        """Write the content into `held`; return its digest."""
        digest = hashlib.sha256()
        async for piece in self._pieces(result):
            with self._failures.of_system():
                await asyncio.to_thread(_take, piece, held, digest)
        held.seek(0)
        return digest.hexdigest()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what the library raises into our errors."""
        try:
            yield
        except s3_access.ERRORS as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> ObjectMissing | StorageFull | StorageUnavailable:
        where = f"bucket {self._bucket.name}"
        text = s3_access.explanation(error, self._bucket.credentials)
        if "NoSuchBucket" in text:
            return self._failures.unavailable(f"{where} does not exist; check DOCPARSER_STORE_URL")
        if any(sign in text for sign in _FULL):
            return self._failures.full(f"{where} has no room")
        if s3_access.is_missing(error):
            return ObjectMissing()
        if s3_access.is_denied(error):
            return self._failures.unavailable(
                f"{where} refuses access; check the keys in DOCPARSER_STORE_ACCESS_KEY_ID and "
                "DOCPARSER_STORE_SECRET_ACCESS_KEY, and what they may do"
            )
        return self._failures.unavailable(f"{where}: {text:.300}")


def _refuse_other(name: str, found: str, sha256: str) -> None:
    if found != sha256:
        raise ObjectDamaged(name)


def _take(piece: bytes, held: IO[bytes], digest: "hashlib._Hash") -> None:
    digest.update(piece)
    held.write(piece)


async def _read(held: IO[bytes]) -> AsyncGenerator[bytes, None]:
    with held:
        while piece := await asyncio.to_thread(held.read, CHUNK_BYTES):
            yield piece
