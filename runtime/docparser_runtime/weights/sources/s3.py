"""Weights in an S3-compatible store."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import docparser_api.weights as api
import obstore
from obstore import exceptions
from obstore.store import S3Store

from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.errors import Code, InterruptedRead, WeightsError
from docparser_runtime.weights.manifest import File
from docparser_runtime.weights.sources.base import CHUNK_BYTES, CONNECT_SECONDS, READ_SECONDS
from docparser_runtime.weights.verification import refuse_size

if TYPE_CHECKING:
    from obstore import GetOptions, GetResult

_ERRORS: Final = (exceptions.BaseError, FileNotFoundError)
"""What the library raises; the latter in place of its own NotFoundError."""


class S3Source:
    """Objects below a prefix of a bucket."""

    def __init__(self, source: api.S3Source, credentials: Credentials) -> None:
        self._bucket = source.bucket
        self._credentials = credentials
        self._store = S3Store(
            source.bucket,
            prefix=source.prefix.strip("/") or None,
            region=source.region,
            client_options={
                "allow_http": (source.endpoint or "").startswith("http://"),
                "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
                "read_timeout": timedelta(seconds=READ_SECONDS),
            },
            # Whoever reads here tries again by itself, from the byte at which it stopped.
            retry_config={"max_retries": 0, "retry_timeout": timedelta(seconds=READ_SECONDS)},
            **_access(source, credentials),
        )

    async def read(self, file: File, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """Yield bytes `start` to `end` of `file`."""
        try:
            result = await self._get(file.path, {"range": (start, end)})
            refuse_size(file, result.meta["size"])
            async for chunk in result.stream(min_chunk_size=CHUNK_BYTES):
                yield bytes(chunk)
        except _ERRORS as error:
            raise self._failure(error, file.path) from None

    async def read_whole(self, path: str, most_bytes: int) -> bytes:
        """Return the content of the object."""
        try:
            result = await self._get(path, {})
            if result.meta["size"] > most_bytes:
                return b" " * (most_bytes + 1)
            return bytes(await result.bytes_async())
        except _ERRORS as error:
            raise self._failure(error, path) from None

    async def close(self) -> None:
        """Do nothing: the store closes its connections when it is let go."""

    async def _get(self, path: str, options: "GetOptions") -> "GetResult":
        return await obstore.get_async(self._store, path, options=options)

    def _failure(self, error: Exception, path: str) -> WeightsError:
        where = f"bucket {self._bucket}"
        if isinstance(error, exceptions.NotFoundError | FileNotFoundError):
            return WeightsError(Code.FILE_MISSING, path, f"is not in {where}")
        if isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError):
            message = f"{where} refuses access; check the keys in secretRef and what they may read"
            return WeightsError(Code.ACCESS_DENIED, path, message)
        # What follows is for developers of the library.
        text = self._credentials.redacted(str(error).partition("Debug source")[0])
        text = " ".join(text.split())
        if "status code: 416" in text:
            return WeightsError(Code.FILE_SHORT, path, "is shorter than the manifest says")
        return InterruptedRead(
            Code.SOURCE_UNAVAILABLE, path, f"{where} cannot be read: {text:.300}"
        )


def _access(source: api.S3Source, credentials: Credentials) -> dict[str, Any]:
    """Return where the store is and as whom to read; without keys, as anybody."""
    access: dict[str, Any] = {}
    if source.endpoint is not None:
        access["endpoint"] = source.endpoint.rstrip("/")
    if credentials.access_key_id is None or credentials.secret_access_key is None:
        return access | {"skip_signature": True}
    if credentials.session_token is not None:
        access["session_token"] = credentials.session_token
    return access | {
        "access_key_id": credentials.access_key_id,
        "secret_access_key": credentials.secret_access_key,
    }
