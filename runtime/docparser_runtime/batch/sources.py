"""Which documents are meant, and what their outputs are called."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from docparser_runtime.batch.console import STDIN

ENDINGS: Final = frozenset(
    {
        *(".avif", ".bmp", ".gif", ".heic", ".heif", ".jp2", ".jpeg", ".jpg"),
        *(".pdf", ".png", ".tif", ".tiff", ".webp"),
    }
)
"""Of files in directories, those with such a name are read; a file that is named always is."""
_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 150


class SourceError(Exception):
    """The arguments name no documents, or too many by one name."""


@dataclass(frozen=True)
class Source:
    """A document.

    Attributes:
        name: its path below the directory of outputs, without the ending of the form.
        place: path of the file, URL, or `-`.
    """

    name: str
    place: str

    @property
    def is_url(self) -> bool:
        """Whether it lies in the web."""
        return bool(_URL.match(self.place))


@dataclass(frozen=True)
class Found:
    """The documents that are meant.

    Attributes:
        passed_over: files in directories whose names are not those of documents.
    """

    sources: tuple[Source, ...]
    passed_over: int


def found(arguments: Sequence[str]) -> Found:
    """Return the documents that `arguments` name.

    Raises:
        SourceError: there is no such place or no document, or two outputs would have one name.
    """
    sources: dict[str, Source] = {}
    passed_over = 0
    for argument in arguments:
        for source in _sources(argument):
            if source is None:
                passed_over += 1
            elif sources.setdefault(source.name, source).place != source.place:
                raise SourceError(
                    f"{sources[source.name].place} and {source.place} would have the same output; "
                    "read them one after the other into different directories"
                )
    if not sources:
        raise SourceError("there are no documents, by the endings of the files' names")
    return Found(tuple(sources.values()), passed_over)


def _sources(argument: str) -> Iterator[Source | None]:
    if argument == STDIN:
        yield Source("stdin", STDIN)
    elif _URL.match(argument):
        yield Source(_name_of(argument), argument)
    elif Path(argument).is_dir():
        yield from _below(Path(argument))
    elif Path(argument).exists():
        yield Source(Path(argument).name, argument)
    else:
        raise SourceError(f"cannot read {argument}: No such file")


def _below(root: Path) -> Iterator[Source | None]:
    """Yield the documents of a tree in a fixed order, and None for each other file."""
    for folder, folders, files in os.walk(root, onerror=_fail):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            # Neither pipes, which would never end, nor what hides itself.
            if name.startswith(".") or not path.is_file():
                continue
            is_document = path.suffix.lower() in ENDINGS
            yield Source(path.relative_to(root).as_posix(), str(path)) if is_document else None


def _fail(error: OSError) -> None:
    raise SourceError(f"cannot read {error.filename}: {error.strerror}")


def _name_of(url: str) -> str:
    """Return a name for the output of a URL: its last part, without what it may hide."""
    parts = urlsplit(url)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.hostname or "document"
    return _UNSAFE.sub("_", last).lstrip(".")[:_LONGEST_NAME] or "document"
