"""The directory of outputs: files that are whole or not there, and a journal of what is done.

The journal names, for each document, the digest of its content, how it was read, and the digests of
its outputs. So a second run skips what is done, reads anew what has changed on either side or is to
be read in another way, and needs no other state.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

JOURNAL: Final = ".docparser-parse.jsonl"


class OutputError(Exception):
    """The directory of outputs cannot be used."""


@dataclass(frozen=True)
class Work:
    """A document and how it is to be read: what an output is an output of.

    Attributes:
        name: the document's path below the directory of outputs.
        sha256: digest of its content.
        options: what is asked beside the default, as JSON values.
    """

    name: str
    sha256: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def is_that_of(self, record: Mapping[str, Any]) -> bool:
        """Return whether a record of the journal is about the same work."""
        known = (record.get("sha256"), record.get("options", {}))
        return known == (self.sha256, self.options)


class Outputs:
    """Outputs below `folder`, which belongs to this process. Made by `opened`."""

    def __init__(self, folder: Path, journal: int, known: dict[str, dict[str, Any]]) -> None:
        self._folder = folder
        self._journal = journal
        self._known = known

    @staticmethod
    @contextmanager
    def opened(folder: Path) -> Iterator["Outputs"]:
        """Yield the outputs below `folder`, which is made if need be.

        Raises:
            OutputError: it cannot be written to, or another process does so.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            journal = os.open(folder / JOURNAL, flags, 0o644)
        except OSError as error:
            raise OutputError(f"cannot write to {folder}: {error.strerror}") from None
        try:
            _lock(journal, folder)
            yield Outputs(folder, journal, _known(folder / JOURNAL))
        finally:
            os.close(journal)

    def is_done(self, work: Work, endings: tuple[str, ...]) -> bool:
        """Return whether the outputs of this work are there and whole."""
        record = self._known.get(work.name, {})
        outputs = record.get("outputs", {})
        return work.is_that_of(record) and all(
            ending in outputs and outputs[ending] == self._digest(work.name + ending)
            for ending in endings
        )

    def write(self, work: Work, contents: Mapping[str, bytes]) -> None:
        """Write the outputs of a document, by their endings, and note that it is done.

        Raises:
            OSError: they cannot be written.
        """
        before = self._known.get(work.name, {})
        outputs = dict(before["outputs"]) if work.is_that_of(before) else {}
        for ending, content in contents.items():
            _replace(self._folder / (work.name + ending), content)
            outputs[ending] = hashlib.sha256(content).hexdigest()
        record = asdict(work) | {"outputs": outputs}
        # The line begins on its own, whatever a killed process left behind.
        os.write(self._journal, b"\n" + json.dumps(record).encode() + b"\n")
        os.fsync(self._journal)
        self._known[work.name] = record

    def _digest(self, path: str) -> str | None:
        try:
            with (self._folder / path).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return None


def _lock(journal: int, folder: Path) -> None:
    try:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(f"another process writes to {folder}") from None


def _known(path: Path) -> dict[str, dict[str, Any]]:
    """Return the last record of each document; half a line is none."""
    known = {}
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
            known[record["name"]] = record | {"outputs": dict(record["outputs"])}
        except (ValueError, KeyError, TypeError):
            continue
    return known


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Always the same name, so that what a killed process left is not left for ever.
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
