"""What goes wrong with a store: a reason for the log, a sentence for the client."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from docparser_runtime.logs import Log
from docparser_runtime.task_errors import StorageFull, StorageUnavailable

_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_RETRY: Final = {"Retry-After": "5"}


class Failures:
    """Makes the errors of a store, and logs why they are made."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def unavailable(self, reason: str) -> StorageUnavailable:
        """Return the error of a store that does not do its work."""
        self._log.warning("storage_unavailable", reason=reason)
        return StorageUnavailable(
            "The store of documents and results does not answer. Try again later.", headers=_RETRY
        )

    def full(self, reason: str) -> StorageFull:
        """Return the error of a store without room."""
        self._log.warning("storage_full", reason=reason)
        return StorageFull(
            "The store of documents and results is full. Try again when results have expired."
        )

    @contextmanager
    def of_system(self) -> Iterator[None]:
        """Turn errors of the file system into those above."""
        try:
            yield
        except OSError as error:
            reason = f"the file system says: {error.strerror or type(error).__name__}"
            raise self.full(reason) if error.errno in _FULL else self.unavailable(reason) from error
