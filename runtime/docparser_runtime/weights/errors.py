"""What can be wrong with weights, as codes that the operator shows."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum


class Code(StrEnum):
    """Kind of failure; part of the contract with the operator."""

    CONFIGURATION_INVALID = "ConfigurationInvalid"
    MANIFEST_INVALID = "WeightsManifestInvalid"
    FILE_MISSING = "WeightsFileMissing"
    ACCESS_DENIED = "WeightsAccessDenied"
    DIGEST_MISMATCH = "WeightsDigestMismatch"
    FILE_SHORT = "WeightsFileShort"
    DISK_FULL = "DiskFull"
    SOURCE_UNAVAILABLE = "WeightsSourceUnavailable"
    CACHE_READ_ONLY = "WeightsCacheReadOnly"
    STORAGE_FAILED = "WeightsStorageFailed"
    NOT_VERIFIED = "WeightsNotVerified"
    INTERNAL = "WeightsInternalError"


class WeightsError(Exception):
    """The weights cannot be used.

    Attributes:
        code: what kind of failure it is.
        file: the file concerned, relative to the weights; empty where no single one is.
        message: what is wrong and what to do; free of secrets.
    """

    def __init__(self, code: Code, file: str, message: str) -> None:
        super().__init__(f"{code}: {file}: {message}" if file else f"{code}: {message}")
        self.code = code
        self.file = file
        self.message = message


class InterruptedRead(WeightsError):  # noqa: N818 (an error only once patience ends)
    """Reading from the source failed in a way that may pass."""


_BY_NUMBER = {
    errno.ENOSPC: Code.DISK_FULL,
    errno.EDQUOT: Code.DISK_FULL,
    errno.EROFS: Code.CACHE_READ_ONLY,
    errno.EACCES: Code.CACHE_READ_ONLY,
    errno.EPERM: Code.CACHE_READ_ONLY,
}


def of_system(error: OSError, file: str = "") -> WeightsError:
    """Return what an error of the file system means for `file`."""
    code = _BY_NUMBER.get(error.errno or 0, Code.STORAGE_FAILED)
    reason = error.strerror or type(error).__name__
    return WeightsError(code, file, f"the file system says: {reason}")


@contextmanager
def storage(file: str = "") -> Iterator[None]:
    """Turn errors of the file system into WeightsError about `file`."""
    try:
        yield
    except OSError as error:
        raise of_system(error, file) from None
