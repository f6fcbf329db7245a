"""What the scheduler is asked for and what it answers: values only."""

from dataclasses import dataclass
from enum import StrEnum

from docparser_runtime.engine.generation.kv_blocks import blocks_for


class Stage(StrEnum):
    """How far a request has come."""

    WAITING = "waiting"
    VISION = "vision"
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True)
class Request:
    """A page, or a window of pages that are read in one go.

    Attributes:
        id: its own number, never used again.
        share: what it belongs to, such as a document; shares get equally much by weight.
        page_tiles: tiles of each of its pages; empty if there is nothing to look at.
        prompt_tokens: tokens of the prompt, those of the pages among them.
        max_new_tokens: most tokens that may be written.
        window: how many written tokens stay visible; None if all do.
        weight: how much more its share gets than one of weight 1.
    """

    id: int
    share: str
    page_tiles: tuple[int, ...]
    prompt_tokens: int
    max_new_tokens: int
    window: int | None = None
    weight: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        counts = (self.prompt_tokens, self.max_new_tokens, self.weight)
        if min(*counts, 1 if self.window is None else self.window) < 1:
            raise ValueError("tokens, weight and window are at least 1")

    @property
    def blocks(self) -> int:
        """Blocks of keys and values that it takes at its longest."""
        if self.window is None:
            return blocks_for(self.prompt_tokens + self.max_new_tokens)
        # The ring begins with a block of its own, so that the reference stays as it is.
        return blocks_for(self.prompt_tokens) + blocks_for(self.window)


@dataclass(frozen=True)
class Limits:
    """How much one step may take on.

    Attributes:
        sequences: most requests that are in work at once.
        encoder_pages: most pages that are encoded together.
        encoder_tiles: most tiles that are; a page that has more goes alone.
        prefill_tokens: most prompt tokens that the decoder takes in together.
        decode_tokens: most tokens that each sequence writes in one step.
        least_decode_share: share of the time that writing gets, however few sequences write.
        most_decode_share: share of the time that it gets at most while other work waits.
    """

    sequences: int
    encoder_pages: int = 4
    encoder_tiles: int = 24
    prefill_tokens: int = 4096
    decode_tokens: int = 8
    least_decode_share: float = 0.25
    most_decode_share: float = 0.75

    def __post_init__(self) -> None:
        """Refuse limits under which nothing would ever run."""
        counts = (self.sequences, self.encoder_pages, self.prefill_tokens, self.decode_tokens)
        if min(*counts, self.encoder_tiles + 1) < 1:
            raise ValueError("a step takes at least one of each")
        if not 0 < self.least_decode_share <= self.most_decode_share < 1:
            raise ValueError("shares lie between 0 and 1, the least below the most")

    def decode_share(self, writing: int) -> float:
        """Return the share of the time for `writing` sequences while other work waits.

        A step costs nearly the same for few sequences as for many, so few wait for more to come;
        the more there are, the less a step is put off.
        """
        wanted = (writing / self.sequences) ** 2
        return min(max(wanted, self.least_decode_share), self.most_decode_share)


@dataclass(frozen=True)
class VisionStep:
    """Pages to encode together, as pairs of a request's id and the index of its page."""

    pages: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Chunk:
    """A run of a prompt; after its last one the request's first token can be chosen."""

    id: int
    start: int
    length: int
    is_last: bool


@dataclass(frozen=True)
class PrefillStep:
    """Runs of prompts of different requests, to take in together."""

    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class DecodeStep:
    """Requests of which each is to write `tokens` more tokens; none has room for fewer only."""

    ids: tuple[int, ...]
    tokens: int


Step = VisionStep | PrefillStep | DecodeStep
