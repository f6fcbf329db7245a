"""What is made of a page whose text loops, or for which memory is short; nothing is computed."""

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Many
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import pytest
import torch
from docparser_api.model_sizes import Family
from docparser_runtime.engine.base import PageImage, PageResult
from docparser_runtime.engine.generation.prompts import END
from docparser_runtime.engine.generation.requests import (
    DecodeStep,
    Limits,
    PrefillStep,
    VisionStep,
)
from docparser_runtime.engine.generation.scheduler import Scheduler
from docparser_runtime.engine.gpu.attempts import GenerationFailed
from docparser_runtime.engine.gpu.loop import Loop
from docparser_runtime.engine.gpu.pages import Desk, PageTask
from docparser_runtime.engine.gpu.prompting import Prompting
from docparser_runtime.engine.gpu.reading import TextTokenizer
from docparser_runtime.engine.gpu.sequence import Sequence
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.tiers import Chosen, Tier
from tokenizers import Tokenizer, decoders, models

pytestmark = pytest.mark.thorough  # torch takes seconds to import

FAMILY = Family.DEEPSEEK_OCR_2
ROUND, WORD = 7, 8
HIGH = Chosen(Tier.HIGH, lowered=False)


@dataclass
class Double:
    """Goes in circles for as many requests as it is told, and encodes so many tiles at most."""

    loops: int = 0
    most_tiles: int = 6
    sequences: dict[int, Sequence] = field(default_factory=dict)
    seen: list[tuple[int, float]] = field(default_factory=list)

    def add(self, sequence: Sequence) -> None:
        self.sequences[sequence.id] = sequence

    def remove(self, request_id: int) -> None:
        del self.sequences[request_id]

    def encode(self, step: VisionStep) -> None:
        ((request_id, _),) = step.pages
        sequence = self.sequences[request_id]
        (page,) = sequence.pages
        assert page is not None
        if len(page.tiles) > self.most_tiles:
            raise torch.OutOfMemoryError
        self.seen.append((len(page.tiles), sequence.temperature))

    def prefill(self, step: PrefillStep, tables: Mapping[int, Many[int]]) -> dict[int, list[int]]:
        return {run.id: [WORD] for run in step.chunks if run.is_last and tables[run.id]}

    def decode(self, step: DecodeStep) -> dict[int, list[int]]:
        token = ROUND if len(self.seen) <= self.loops else END
        return {request_id: [token] * step.tokens for request_id in step.ids}


@dataclass
class Hearer:
    """Hears all."""

    heard: list[str] = field(default_factory=list)
    anew: int = 0

    def is_wanted(self) -> bool:
        return True

    def wrote(self, text: str) -> None:
        self.heard.append(text)

    def began_anew(self) -> None:
        self.anew += 1
        self.heard.clear()


@contextmanager
def desk(worker: Double) -> Iterator[Desk]:
    words = {"<s>": 0, "</s>": 1, "round ": ROUND, "word ": WORD}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="word "))
    tokenizer.decoder = decoders.Fuse()
    loop = Loop(Scheduler(Limits(sequences=1), 300), worker)
    loop.start()
    yield Desk(FAMILY, Prompting(FAMILY, DecoderShape(), TextTokenizer(tokenizer), count()), loop)
    loop.close()


def read(worker: Double, hearer: Hearer) -> PageResult:
    image = PageImage(0, np.zeros((1754, 1240, 3), np.uint8))
    with desk(worker) as there:
        return PageTask(there, image, 2000, hearer).read(HIGH)


def test_a_text_that_ends_takes_one_attempt() -> None:
    worker, hearer = Double(), Hearer()
    result = read(worker, hearer)
    assert worker.seen == [(6, 0.0)]
    assert result.markdown == "word"
    assert (result.tier, result.lowered) == (Tier.HIGH, False)
    assert (result.repetition, result.truncated, hearer.anew) == (False, False, 0)
    assert result.generation is not None
    assert result.generation.attempts == 1


def test_a_text_in_circles_is_written_once_more_less_strictly() -> None:
    worker, hearer = Double(loops=1), Hearer()
    result = read(worker, hearer)
    assert worker.seen == [(6, 0.0), (6, 0.4)]
    assert result.markdown == "".join(hearer.heard) == "word"
    assert (result.repetition, hearer.anew) == (False, 1)
    assert result.generation is not None
    assert result.generation.attempts == 2
    assert result.generation.tokens > 400


def test_circles_to_the_end_are_told_and_kept() -> None:
    result = read(Double(loops=2), Hearer())
    assert (result.repetition, result.truncated) == (True, True)
    assert result.markdown.startswith("word round round")


@pytest.mark.parametrize(("most", "tier"), [(4, Tier.MEDIUM), (0, Tier.LOW)])
def test_where_memory_is_short_the_page_is_cut_into_less(most: int, tier: Tier) -> None:
    worker, hearer = Double(most_tiles=most), Hearer()
    result = read(worker, hearer)
    assert worker.seen == [(most and 2, 0.0)]
    assert (result.tier, result.lowered) == (tier, True)
    assert result.vision_tokens == 256 + 144 * (most and 2)
    assert result.markdown == "word"


def test_a_page_for_which_there_is_no_memory_at_all_fails() -> None:
    with pytest.raises(GenerationFailed, match="too little memory"):
        read(Double(most_tiles=-1), Hearer())
