"""Which pieces of files are already on disk, noted so that a killed fetch goes on where it was.

The note may outlive the pieces when power is lost. That shows in the digests.
"""

import json
import os
from pathlib import Path
from typing import Final

from docparser_runtime.weights.errors import storage
from docparser_runtime.weights.manifest import File
from docparser_runtime.weights.marker import replace_file

JOURNAL: Final = ".docparser-journal"
"""Name of the note in the directory that it tells of."""
Piece = tuple[int, int]
"""First byte, and the byte after the last."""


class Journal:
    """Pieces that were written below `directory`, of the weights with one manifest."""

    def __init__(self, directory: Path, manifest_sha256: str) -> None:
        self._path = directory / JOURNAL
        self._pieces = _read(self._path, manifest_sha256)
        # Written anew: the last line may be half a line.
        lines = [
            json.dumps([path, start, end])
            for path, pieces in self._pieces.items()
            for start, end in pieces
        ]
        with storage():
            replace_file(self._path, "\n".join([manifest_sha256, *lines, ""]).encode())
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    @staticmethod
    def belongs(directory: Path, manifest_sha256: str) -> bool:
        """Whether `directory` holds pieces of the weights with this manifest."""
        try:
            with (directory / JOURNAL).open() as file:
                return file.readline() == f"{manifest_sha256}\n"
        except (OSError, UnicodeDecodeError):
            return False

    def has(self, path: str, start: int, end: int) -> bool:
        """Whether the bytes from `start` to before `end` were written."""
        pieces = self._pieces.get(path, ())
        return any(first <= start and end <= after for first, after in pieces)

    def add(self, path: str, start: int, end: int) -> None:
        """Note that these bytes were written."""
        self._pieces.setdefault(path, []).append((start, end))
        self._append([path, start, end])

    def forget(self, path: str) -> None:
        """Note that nothing of this file is to be kept."""
        self._pieces.pop(path, None)
        self._append([path])

    def missing_bytes(self, file: File) -> int:
        """Return how many bytes of `file` are still to come."""
        written = sum(end - start for start, end in self._pieces.get(file.path, ()))
        return max(0, file.size - written)

    def close(self) -> None:
        """Close the file of the journal."""
        os.close(self._file)

    def _append(self, line: list[str | int]) -> None:
        with storage():
            os.write(self._file, json.dumps(line).encode() + b"\n")


def _read(path: Path, manifest_sha256: str) -> dict[str, list[Piece]]:
    try:
        first, *lines = path.read_text().split("\n")[:-1]
    except (OSError, ValueError):
        return {}
    pieces: dict[str, list[Piece]] = {}
    if first != manifest_sha256:
        return pieces
    for line in lines:
        try:
            name, *piece = json.loads(line)
        except ValueError:
            # Only a loss of power garbles lines; what comes after is as doubtful.
            return pieces
        if piece:
            pieces.setdefault(name, []).append((piece[0], piece[1]))
        else:
            pieces.pop(name, None)
    return pieces
