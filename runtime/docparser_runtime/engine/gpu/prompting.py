"""From a page that was cut to a job for the loop."""

from collections.abc import Iterator

from docparser_api.model_sizes import Family
from docparser_api.vram_demand import MOST_NEW_TOKENS

from docparser_runtime.engine.generation.prompts import END, Task, prompt
from docparser_runtime.engine.generation.repetition import guard_policy
from docparser_runtime.engine.generation.requests import Request
from docparser_runtime.engine.generation.stopping import TokenStops
from docparser_runtime.engine.generation.windows import most_new_tokens
from docparser_runtime.engine.gpu.jobs import Job
from docparser_runtime.engine.gpu.reading import TextTokenizer, TokenText
from docparser_runtime.engine.gpu.sequence import Sequence
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.vision.pixels import CutPage


class Prompting:
    """Makes the jobs of one engine; from any thread.

    Args:
        family: the model.
        shape: its sizes.
        tokenizer: its tokenizer.
        ids: numbers that nobody else uses.
    """

    def __init__(
        self, family: Family, shape: DecoderShape, tokenizer: TextTokenizer, ids: Iterator[int]
    ) -> None:
        self._family = family
        self._shape = shape
        self._tokenizer = tokenizer
        self._ids = ids
        self._guard = guard_policy(family, pages=1)

    def stream(self) -> TokenText:
        """Return what turns the tokens of one job into text."""
        return self._tokenizer.stream()

    def job(self, page: CutPage, most_tokens: int | None, temperature: float) -> Job:
        """Return the job of reading `page`.

        Args:
            page: its pixels.
            most_tokens: tokens that may be written at most; None for as many as any page needs.
            temperature: 0 takes the most likely token.

        Raises:
            ValueError: the page's prompt leaves no position for a text.
        """
        words = prompt([page.layout], Task.LAYOUT, self._tokenizer)
        wanted = MOST_NEW_TOKENS if most_tokens is None else most_tokens
        length = len(words.tokens)
        most = most_new_tokens(1, wanted, length, self._shape.max_positions)
        number = next(self._ids)
        request = Request(
            id=number,
            share="",
            page_tiles=(page.layout.grid.tiles,),
            prompt_tokens=length,
            max_new_tokens=most,
            window=self._shape.window,
        )
        sequence = Sequence(number, words, [page], self._guard, temperature, seed=number)
        return Job(request, sequence, TokenStops({END}, most))
