"""What an engine promises, and the values that pass in and out of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.tiers import Tier

if TYPE_CHECKING:
    # Clients know the kinds of blocks, and should not have to load this for them.
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class PageImage:
    """One page as pixels.

    Attributes:
        index: position in the document, from 0.
        pixels: RGB, shape (height, width, 3), uint8.
        dpi: resolution at which a PDF page was drawn; None for an image.
    """

    index: int
    pixels: "NDArray[np.uint8]"
    dpi: float | None = None

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.pixels.shape[0])


@dataclass(frozen=True)
class Box:
    """An axis-aligned rectangle in pixels of the page image, origin at the top left."""

    left: float
    top: float
    right: float
    bottom: float


class BlockKind(StrEnum):
    """What a block is."""

    TITLE = "title"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"


@dataclass(frozen=True)
class Block:
    """A piece of a page, in reading order.

    Attributes:
        kind: what it is.
        text: plain text, lines joined; for a table, cells joined by tabs and rows by newlines.
        markdown: the same as Markdown.
        box: where it stands.
        confidence: mean confidence of its text, 0 to 1; None when the engine has none.
        level: heading level, 1 to 6, for titles and headings.
    """

    kind: BlockKind
    text: str
    markdown: str
    box: Box
    confidence: float | None = None
    level: int | None = None


@dataclass(frozen=True)
class ParseOptions:
    """What a request asks of the engine.

    Attributes:
        max_new_tokens: most tokens per page, for engines that generate; None when the request
            names no number.
        tier: how closely the page is to be looked at, one of the engine's tiers; None lets the
            engine choose for each page.
        at_most: the closest that the engine may choose.
    """

    max_new_tokens: int | None
    tier: Tier | None = None
    at_most: Tier = Tier.HIGH


@dataclass(frozen=True)
class Generation:
    """How an engine wrote a page token by token.

    Attributes:
        tokens: how many it wrote, in all attempts.
        first_token_seconds: time from the call of `parse` to the first of them; None without any.
        token_seconds: mean time from one to the next; None for fewer than two.
        attempts: how often it began, once more for each retry.
    """

    tokens: int
    first_token_seconds: float | None = None
    token_seconds: float | None = None
    attempts: int = 1


@dataclass(frozen=True)
class PageResult:
    """What an engine read on one page.

    Attributes:
        markdown: the whole page as Markdown, blocks in reading order.
        blocks: the same in pieces.
        vision_tokens: tokens that the page image took; 0 for engines without.
        truncated: whether the engine stopped before the end of the page, such as at its longest
            output.
        repetition: whether the engine fell into a loop and was stopped.
        rotation_degrees: by how much the page was turned clockwise, from -180 (not included) to
            180, to read it upright. Boxes are those of the page as it came.
        tier: how closely it was looked at; None for engines without tiers.
        lowered: whether the engine would have looked more closely but for `at_most`.
        generation: how it was written; None for engines that do not generate.
    """

    markdown: str
    blocks: tuple[Block, ...] = field(default_factory=tuple)
    vision_tokens: int = 0
    truncated: bool = False
    repetition: bool = False
    rotation_degrees: float = 0.0
    tier: Tier | None = None
    lowered: bool = False
    generation: Generation | None = None


@dataclass(frozen=True)
class DeviceUse:
    """What an engine takes of a device such as a GPU. None stands for what it cannot tell.

    Attributes:
        device: its name, such as `0`.
        busy_ratio: share of the time in which it computes, 0 to 1.
        memory_used_bytes: memory in use now.
        memory_peak_bytes: most of it since the engine was loaded.
        memory_planned_bytes: most that the engine means to use.
    """

    device: str
    busy_ratio: float | None = None
    memory_used_bytes: int | None = None
    memory_peak_bytes: int | None = None
    memory_planned_bytes: int | None = None


class Engine(Protocol):
    """Turns page images into text. Methods block; `parse` is called from worker threads.

    Attributes:
        name: reported as `model` when `spec.model.name` is absent.
        generates: whether it writes token by token, so that `max_new_tokens` has a meaning, and
            tells of text as it comes.
        tiers: how closely it can look at pages; empty when there is nothing to choose.
    """

    name: str
    generates: bool
    tiers: frozenset[Tier]

    def load(self) -> None:
        """Load the weights.

        Raises:
            EngineLoadError: they are missing or damaged.
        """
        ...

    def warmup(self) -> None:
        """Read a page whose text is known.

        Raises:
            EngineLoadError: the answer is wrong.
        """
        ...

    def parse(
        self, page: PageImage, options: ParseOptions, listener: Listener = UNHEARD
    ) -> PageResult:
        """Return what stands on `page`. May be called from several threads at once.

        Raises:
            Unwanted: the listener does not want the page any more. An engine that generates asks
                and ends within a token; others may read on to the end.
        """
        ...

    def devices(self) -> Sequence[DeviceUse]:
        """Return what it takes of which devices: none on a CPU, none before `load`.

        Called from any thread at any time, so it is quick and never raises.
        """
        ...

    def close(self) -> None:
        """Free what `load` took. The engine is not used afterwards."""
        ...


class EngineLoadError(Exception):
    """The engine cannot serve; the message tells the operator of the service why."""


class WeightsInvalid(EngineLoadError):  # noqa: N818 (the name of its code)
    """The weights are missing, damaged, or not those that the engine is for."""

    def __init__(self, why: str) -> None:
        super().__init__(f"weights_invalid: {why}")
