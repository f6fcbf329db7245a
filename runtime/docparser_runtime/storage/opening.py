"""The store that an address names."""

import asyncio
import re
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from docparser_api.names import ENV_STORE_PREFIX, ENV_STORE_URL
from docparser_api.runtime import TasksConfig

from docparser_runtime.config import ConfigError
from docparser_runtime.logs import Log
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.object_names import InvalidName, checked_prefix

_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_FORMS: Final = "s3://BUCKET/PREFIX or file:///PATH"


async def open_store(url: str, access: Access, config: TasksConfig, log: Log) -> ObjectStore:
    """Return the store at `url`. A directory is made, counted, and freed of what dead writers left.

    Raises:
        ConfigError: it is no address of a store, or nothing can be written there; the message names
            what to mend, and holds no secret.
        StorageUnavailable: the bucket does not answer, or refuses access; the log says which.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _wrong("is no address") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise _wrong(f"must be {_FORMS}, nothing more; keys belong into {ENV_STORE_PREFIX}*")
    if parts.scheme == "s3":
        return await _bucket(parts, access, Failures(log))
    if parts.scheme == "file":
        path = _path(parts)
        return await asyncio.to_thread(_directory, path, config.max_store_bytes, Failures(log))
    raise _wrong(f"must be {_FORMS}")


async def _bucket(parts: SplitResult, access: Access, failures: Failures) -> ObjectStore:
    from docparser_runtime.s3_access import Bucket  # noqa: PLC0415
    from docparser_runtime.storage.bucket import BucketStore  # noqa: PLC0415

    if not _BUCKET.fullmatch(parts.netloc):
        raise _wrong("names no bucket")
    prefix = parts.path.strip("/")
    try:
        if prefix:
            checked_prefix(f"{prefix}/")
    except InvalidName:
        raise _wrong(
            "has a prefix with other characters than letters, digits, _, - and ."
        ) from None
    _refuse_endpoint(access.endpoint)
    _refuse_half_keys(access)
    bucket = Bucket(parts.netloc, prefix, access.endpoint, access.region, access.credentials)
    store = BucketStore(bucket, failures, link_seconds=access.link_seconds)
    await store.check()
    return store


def _refuse_endpoint(endpoint: str | None) -> None:
    if endpoint is None:
        return
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ConfigError(f"{ENV_STORE_PREFIX}ENDPOINT must be http://HOST or https://HOST")


def _refuse_half_keys(access: Access) -> None:
    keys = access.credentials
    if (keys.access_key_id is None) != (keys.secret_access_key is None):
        raise ConfigError(
            f"{ENV_STORE_PREFIX}ACCESS_KEY_ID and {ENV_STORE_PREFIX}SECRET_ACCESS_KEY belong "
            "together; one of them is missing"
        )


def _path(parts: SplitResult) -> Path:
    path = Path(unquote(parts.path))
    if parts.netloc not in ("", "localhost") or not path.is_absolute() or "\0" in str(path):
        raise _wrong("names no absolute path; file:///PATH has three slashes")
    return path


def _directory(path: Path, most_bytes: int | None, failures: Failures) -> ObjectStore:
    from docparser_runtime.storage.directory import DirectoryStore  # noqa: PLC0415
    from docparser_runtime.storage.folders import sync_folders  # noqa: PLC0415
    from docparser_runtime.storage.partial_files import PartialFiles  # noqa: PLC0415
    from docparser_runtime.storage.room import Room  # noqa: PLC0415

    try:
        with PartialFiles(path).new() as trial:
            trial.sync()
        sync_folders(str(path), str(path.parent))
        return DirectoryStore(path, Room(path, most_bytes), failures)
    except OSError as error:
        raise _wrong(f"{path} cannot be used: {error.strerror}") from None


def _wrong(what: str) -> ConfigError:
    return ConfigError(f"{ENV_STORE_URL} {what}")
