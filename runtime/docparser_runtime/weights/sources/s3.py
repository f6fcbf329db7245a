"""Weights in an S3-compatible store."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Final

import docparser_api.weights as api
import obstore

from docparser_runtime import s3_access
from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.errors import Code, InterruptedRead, WeightsError
from docparser_runtime.weights.manifest import File
from docparser_runtime.weights.sources.base import CHUNK_BYTES, CONNECT_SECONDS, READ_SECONDS
from docparser_runtime.weights.verification import refuse_size

if TYPE_CHECKING:
    from obstore import GetOptions, GetResult

_REQUEST_SECONDS: Final = 30
# Whoever reads here tries again by itself, from the byte at which it stopped.
_PATIENCE: Final = s3_access.Patience(
    CONNECT_SECONDS, READ_SECONDS, _REQUEST_SECONDS, retries=0, retry_seconds=READ_SECONDS
)


class S3Source:
    """Objects below a prefix of a bucket."""

    def __init__(self, source: api.S3Source, credentials: Credentials) -> None:
        self._bucket = source.bucket
        self._credentials = credentials
        self._store = s3_access.store_of(
            s3_access.Bucket(
                source.bucket, source.prefix, source.endpoint, source.region, credentials
            ),
            _PATIENCE,
        )

    async def read(self, file: File, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """Yield bytes `start` to `end` of `file`."""
        try:
            result = await self._get(file.path, {"range": (start, end)})
            refuse_size(file, result.meta["size"])
            async for chunk in result.stream(min_chunk_size=CHUNK_BYTES):
                yield bytes(chunk)
        except s3_access.ERRORS as error:
            raise self._failure(error, file.path) from None

    async def read_whole(self, path: str, most_bytes: int) -> bytes:
        """Return the content of the object."""
        try:
            result = await self._get(path, {})
            if result.meta["size"] > most_bytes:
                return b" " * (most_bytes + 1)
            return bytes(await result.bytes_async())
        except s3_access.ERRORS as error:
            raise self._failure(error, path) from None

    async def close(self) -> None:
        """Do nothing: the store closes its connections when it is let go."""

    async def _get(self, path: str, options: "GetOptions") -> "GetResult":
        return await obstore.get_async(self._store, path, options=options)

    def _failure(self, error: Exception, path: str) -> WeightsError:
        where = f"bucket {self._bucket}"
        if s3_access.is_missing(error):
            return WeightsError(Code.FILE_MISSING, path, f"is not in {where}")
        if s3_access.is_denied(error):
            message = f"{where} refuses access; check the keys in secretRef and what they may read"
            return WeightsError(Code.ACCESS_DENIED, path, message)
        text = s3_access.explanation(error, self._credentials)
        if "status code: 416" in text:
            return WeightsError(Code.FILE_SHORT, path, "is shorter than the manifest says")
        return InterruptedRead(
            Code.SOURCE_UNAVAILABLE, path, f"{where} cannot be read: {text:.300}"
        )
