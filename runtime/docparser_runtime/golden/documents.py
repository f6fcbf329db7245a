"""A set of golden documents: files in one directory, in pairs of document and expected Markdown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

EXPECTED: Final = ".md"
SUFFIXES: Final = frozenset(
    f".{name}"
    for name in (
        *("avif", "bmp", "gif", "heic", "heif", "jp2", "jpeg"),
        *("jpg", "pdf", "png", "tif", "tiff", "webp"),
    )
)
DEFAULT_CLASS: Final = "default"
_CLASS: Final = re.compile(r"[a-z][a-z_]{0,31}")
_MADE_BY_FILE_SYSTEMS: Final = ("lost+found",)


class GoldenError(Exception):
    """The sides cannot be scored.

    Attributes:
        code: stable, machine-readable name of the reason.
        message: what is wrong, where, and what to do.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class GoldenDocument:
    """A document whose text is known.

    Attributes:
        name: name of its file without the ending.
        layout_class: what stands before `__` in the name.
        file: the document.
        expected: its Markdown.
    """

    name: str
    layout_class: str
    file: Path
    expected: str

    def content(self) -> bytes:
        """Return the document.

        Raises:
            GoldenError: it cannot be read.
        """
        try:
            return self.file.read_bytes()
        except OSError as error:
            raise _unreadable(self.file, error) from None


def documents_in(directory: Path) -> tuple[GoldenDocument, ...]:
    """Return the documents of `directory`, by name.

    Raises:
        GoldenError: `files_in` does, or a document has no expected Markdown, or a file cannot be
            read.
    """
    sources, expected = files_in(directory)
    return tuple(_document(name, file, expected) for name, file in sources.items())


def files_in(directory: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """Return the documents of `directory` and the files with expected Markdown, each by name.

    Hidden entries are skipped: a volume with a ConfigMap keeps its data in some.

    Raises:
        GoldenError: a Markdown has no document, a file is of an unknown kind, or there is no
            document.
    """
    try:
        entries = sorted(entry for entry in directory.iterdir() if entry.name[0] != ".")
    except OSError as error:
        raise _unreadable(directory, error) from None
    sources, expected = _sorted_out([e for e in entries if e.name not in _MADE_BY_FILE_SYSTEMS])
    for name, file in expected.items():
        if name not in sources:
            raise GoldenError("missing_document", f"{file.name} has no document of the same name")
    if not sources:
        raise GoldenError("no_documents", f"{directory} holds no documents")
    return sources, expected


def _sorted_out(entries: list[Path]) -> tuple[dict[str, Path], dict[str, Path]]:
    """Return documents and files with expected Markdown, each by name."""
    sources: dict[str, Path] = {}
    expected: dict[str, Path] = {}
    for entry in entries:
        kind = entry.suffix.lower()
        if not entry.name.isprintable():
            raise GoldenError("invalid_name", f"{entry.name!a} cannot be shown; rename it")
        if entry.is_dir():
            raise GoldenError("not_flat", f"{entry.name} is a directory; put all files into one")
        if kind not in SUFFIXES | {EXPECTED}:
            known = " ".join(sorted(SUFFIXES))
            raise GoldenError("unknown_file", f"{entry.name} is neither {EXPECTED} nor {known}")
        files = expected if kind == EXPECTED else sources
        if entry.stem in files:
            other = files[entry.stem].name
            raise GoldenError("ambiguous", f"{entry.name} and {other} have the same name")
        files[entry.stem] = entry
    return sources, expected


def layout_class_of(file: Path) -> str:
    """Return what stands before `__` in the name of a document.

    Raises:
        GoldenError: it is no name of a class.
    """
    before, separator, _ = file.stem.partition("__")
    layout_class = before if separator else DEFAULT_CLASS
    if not _CLASS.fullmatch(layout_class):
        raise GoldenError(
            "invalid_class",
            f"{file.name}: what stands before __ must be at most 32 characters of a-z and _",
        )
    return layout_class


def _document(name: str, file: Path, expected: Mapping[str, Path]) -> GoldenDocument:
    if name not in expected:
        raise GoldenError("missing_expected", f"{file.name} has no {name}{EXPECTED} beside it")
    layout_class = layout_class_of(file)
    check_readable(file)
    return GoldenDocument(name, layout_class, file, text_of(expected[name]))


def check_readable(file: Path) -> None:
    """Return if the document holds anything.

    Raises:
        GoldenError: it is empty or cannot be read.
    """
    try:
        with file.open("rb") as stream:
            is_empty = not stream.read(1)
    except OSError as error:
        raise _unreadable(file, error) from None
    if is_empty:
        raise GoldenError("unreadable", f"{file.name} is empty")


def text_of(file: Path) -> str:
    """Return the expected Markdown of a file.

    Raises:
        GoldenError: it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise GoldenError("unreadable", f"{file.name} is not UTF-8") from None
    except OSError as error:
        raise _unreadable(file, error) from None


def _unreadable(file: Path, error: OSError) -> GoldenError:
    return GoldenError("unreadable", f"{file.name} cannot be read: {error.strerror}")
