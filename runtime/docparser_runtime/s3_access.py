"""Access to buckets of S3-compatible stores, and what their library's errors mean."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from obstore import exceptions
from obstore.store import S3Store

from docparser_runtime.weights.credentials import Credentials

ERRORS: Final = (exceptions.BaseError, FileNotFoundError)
"""What the library raises; the latter in place of its own NotFoundError."""


@dataclass(frozen=True)
class Bucket:
    """A bucket, or what lies below a prefix of it.

    Attributes:
        endpoint: address of the store; None for AWS.
        credentials: without keys, requests are those of anybody.
    """

    name: str
    prefix: str
    endpoint: str | None
    region: str
    credentials: Credentials = field(default_factory=Credentials)


@dataclass(frozen=True)
class Patience:
    """How long to wait for a store, and how often to ask again.

    Attributes:
        connect_seconds: longest time until a connection stands.
        read_seconds: longest time without any byte.
        request_seconds: longest time of one request with its answer.
        retries: further attempts after a failure that may pass.
        retry_seconds: time after the first attempt in which another one may begin.
    """

    connect_seconds: float
    read_seconds: float
    request_seconds: float
    retries: int
    retry_seconds: float


def store_of(bucket: Bucket, patience: Patience) -> S3Store:
    """Return the library's view of the bucket. Must be called where an event loop runs."""
    return S3Store(
        bucket.name,
        prefix=bucket.prefix.strip("/") or None,
        client_options={
            "allow_http": (bucket.endpoint or "").startswith("http://"),
            "connect_timeout": timedelta(seconds=patience.connect_seconds),
            "read_timeout": timedelta(seconds=patience.read_seconds),
            "timeout": timedelta(seconds=patience.request_seconds),
        },
        retry_config={
            "max_retries": patience.retries,
            "retry_timeout": timedelta(seconds=patience.retry_seconds),
        },
        **_access(bucket),
    )


def is_missing(error: Exception) -> bool:
    """Return whether there is no such object."""
    return isinstance(error, exceptions.NotFoundError | FileNotFoundError)


def is_denied(error: Exception) -> bool:
    """Return whether the store refuses access."""
    if isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError):
        return True
    # Refused lists have no error of their own.
    return any(f"status code: {status}" in str(error) for status in (401, 403))


def explanation(error: Exception, credentials: Credentials) -> str:
    """Return what the library says, without secrets and without what its developers need."""
    text = credentials.redacted(str(error).partition("Debug source")[0])
    return " ".join(text.split())


def _access(bucket: Bucket) -> dict[str, Any]:
    access: dict[str, Any] = {"region": bucket.region}
    if bucket.endpoint is not None:
        access["endpoint"] = bucket.endpoint.rstrip("/")
    credentials = bucket.credentials
    if credentials.access_key_id is None or credentials.secret_access_key is None:
        return access | {"skip_signature": True}
    if credentials.session_token is not None:
        access["session_token"] = credentials.session_token
    return access | {
        "access_key_id": credentials.access_key_id,
        "secret_access_key": credentials.secret_access_key,
    }
