"""What a process has for an engine that reads nothing itself."""

from collections.abc import Sequence

from docparser_runtime.engine.base import DeviceUse, PageImage, PageResult, ParseOptions
from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.traits import Traits
from docparser_runtime.errors import EngineFailed


class AbsentEngine:
    """Takes the place of an engine in a gateway, which refuses what its workers would refuse."""

    def __init__(self, name: str, traits: Traits) -> None:
        self.name = name
        self.generates = traits.generates
        self.tiers = traits.tiers

    def load(self) -> None:
        """Do nothing."""

    def warmup(self) -> None:
        """Do nothing."""

    def parse(
        self,
        page: PageImage,
        options: ParseOptions,
        listener: Listener = UNHEARD,  # noqa: ARG002
    ) -> PageResult:
        """Refuse: pages are read by workers."""
        raise EngineFailed(f"Page {page.index} came to a process without an engine; {options}.")

    def devices(self) -> Sequence[DeviceUse]:
        """Return nothing."""
        return ()

    def close(self) -> None:
        """Do nothing."""
