"""The note that every byte of weights was verified. It is written last and only then."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from docparser_runtime.weights.errors import WeightsError, storage
from docparser_runtime.weights.verification import Entry, entry_of

MARKER: Final = ".docparser-verified.json"
"""Name of the note in its directory."""


class Marker(BaseModel):
    """What was verified, and when.

    Attributes:
        manifest_sha256: digest of the manifest.
        files: sizes and times of the files as they were then.
        verified_at: when; UTC.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    manifest_sha256: str
    files: tuple[Entry, ...]
    verified_at: datetime

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)


def write(directory: Path, manifest_sha256: str, files: tuple[Entry, ...]) -> Marker:
    """Write the marker into `directory`, all at once, and return it."""
    marker = Marker(manifest_sha256=manifest_sha256, files=files, verified_at=datetime.now(UTC))
    with storage(MARKER):
        replace_file(directory / MARKER, marker.model_dump_json().encode() + b"\n")
    return marker


def valid(directory: Path, root: Path, manifest_sha256: str) -> Marker | str:
    """Return the marker in `directory` if it holds for the files below `root`, else why not.

    Sizes and times are compared; no file is read.
    """
    try:
        marker = Marker.model_validate_json((directory / MARKER).read_bytes())
    except FileNotFoundError:
        return "they were never verified: there is no marker"
    except (OSError, ValidationError):
        return "their marker cannot be read"
    if marker.manifest_sha256 != manifest_sha256:
        return (
            f"they were verified against manifest {marker.manifest_sha256}, "
            f"but the spec names {manifest_sha256}"
        )
    for entry in marker.files:
        try:
            found = entry_of(root, entry.path)
        except WeightsError as error:
            return f"{entry.path} {error.message}"
        if found != entry:
            return f"{entry.path} was changed after it was verified"
    return marker


def replace_file(path: Path, content: bytes) -> None:
    """Write `path` so that after any interruption it is either the old one or the new one."""
    temporary = path.with_name(f"{path.name}.new")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Let the names in `directory` outlive a loss of power."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
