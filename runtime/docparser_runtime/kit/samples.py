"""A set of samples: documents in one directory, each with its expected Markdown or without."""

from dataclasses import dataclass
from pathlib import Path

from docparser_runtime.golden.documents import check_readable, files_in, layout_class_of, text_of


@dataclass(frozen=True)
class Sample:
    """A document to read.

    Attributes:
        layout_class: what stands before `__` in the file's name.
        expected: its Markdown; None where nobody has written it down.
    """

    file: Path
    layout_class: str
    expected: str | None = None

    @property
    def name(self) -> str:
        """The file's name."""
        return self.file.name


def samples_in(directory: Path) -> tuple[Sample, ...]:
    """Return the samples of `directory`, by name. Sets of golden documents are such directories.

    Raises:
        GoldenError: a file is of an unknown kind or cannot be read, or there is no document.
    """
    sources, expected = files_in(directory)
    for file in sources.values():
        check_readable(file)
    return tuple(
        Sample(file, layout_class_of(file), text_of(expected[name]) if name in expected else None)
        for name, file in sources.items()
    )
