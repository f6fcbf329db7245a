"""What the device side knows of one request, from its pixels to its first token."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from docparser_runtime.engine.generation.prompts import Prompt
from docparser_runtime.engine.generation.repetition import GuardPolicy
from docparser_runtime.engine.gpu.vision.pixels import CutPage


@dataclass
class Sequence:
    """One request.

    Attributes:
        id: its number in the scheduler.
        prompt: its tokens.
        pages: its page images; each is let go once it is encoded.
        guard: against repetition; None without.
        temperature: 0 takes the most likely token.
        seed: of the noise of a temperature.
        features: the encoded pages, until the prompt is taken in.
    """

    id: int
    prompt: Prompt
    pages: list[CutPage | None]
    guard: GuardPolicy | None
    temperature: float = 0.0
    seed: int = 0
    features: dict[int, Tensor] = field(default_factory=dict)

    def tokens(self, start: int, length: int, device: torch.device) -> Tensor:
        """Return tokens of the prompt; where a page is shown, of no meaning but legal."""
        ids = torch.tensor(self.prompt.tokens[start : start + length], device=device)
        for _, begin, end in self._overlaps(start, length):
            ids[begin - start : end - start] = 0
        return ids

    def show_pages(self, rows: Tensor, start: int) -> None:
        """Put the features of the pages in their places among `rows`, which begin at `start`."""
        for page, begin, end in self._overlaps(start, len(rows)):
            first = self.prompt.pages[page].start
            rows[begin - start : end - start] = self.features[page][begin - first : end - first]

    def _overlaps(self, start: int, length: int) -> list[tuple[int, int, int]]:
        """Return index, begin and end in the prompt of what is seen of each page in a run."""
        found = []
        for page, span in enumerate(self.prompt.pages):
            begin = max(start, span.start)
            end = min(start + length, span.start + span.length)
            if begin < end:
                found.append((page, begin, end))
        return found
