"""What a process has for an engine that reads nothing itself."""

from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from docparser_runtime.errors import EngineFailed


class AbsentEngine:
    """Takes the place of an engine in a gateway."""

    generates = False

    def __init__(self, name: str) -> None:
        self.name = name

    def load(self) -> None:
        """Do nothing."""

    def warmup(self) -> None:
        """Do nothing."""

    def parse(self, page: PageImage, options: ParseOptions) -> PageResult:
        """Refuse: pages are read by workers."""
        raise EngineFailed(f"Page {page.index} came to a process without an engine; {options}.")

    def close(self) -> None:
        """Do nothing."""
