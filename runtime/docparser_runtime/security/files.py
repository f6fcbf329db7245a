"""Files that are replaced while we run, as Secrets that Kubernetes mounts are."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from docparser_runtime.logs import Log

LOOK_SECONDS: Final = 2
"""Time between two looks. Kubernetes itself needs up to a minute to bring a change here."""
_Stamp = tuple[int, int, int, int] | None


class ReloadError(Exception):
    """What the files hold cannot be used; the message quotes nothing of it."""


class WatchedFiles:
    """Calls `reload` whenever one of the files has been changed.

    What `reload` cannot use is logged, and what was loaded before stays in use. Kubernetes replaces
    a link on the way to the files, so it is what the path leads to that is compared.

    Args:
        name: what the files are, for the log.
        reload: reads the files; raises ReloadError or OSError. Called in a thread.
    """

    def __init__(
        self, name: str, files: tuple[Path, ...], reload: Callable[[], None], log: Log
    ) -> None:
        self._name = name
        self._files = files
        self._reload = reload
        self._log = log
        self._stamps = self._present()

    async def watch(self, every_seconds: float = LOOK_SECONDS) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(every_seconds)
            await asyncio.to_thread(self.look)

    def look(self) -> None:
        """Reload the files if they have changed since the last look."""
        # The stamps are older than what is read: a change in between is found by the next look.
        stamps = self._present()
        if stamps == self._stamps:
            return
        self._stamps = stamps
        try:
            self._reload()
        except ReloadError as error:
            self._log.error(f"{self._name}_not_reloaded", reason=str(error))
        except OSError as error:
            self._log.error(f"{self._name}_not_reloaded", reason=error.strerror)
        except Exception:  # noqa: BLE001 (whatever it is, the next change must be seen)
            self._log.exception(f"{self._name}_not_reloaded")
        else:
            self._log.info(f"{self._name}_reloaded")

    def _present(self) -> tuple[_Stamp, ...]:
        return tuple(_stamp(file) for file in self._files)


def _stamp(file: Path) -> _Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
