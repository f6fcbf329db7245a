"""Whole engines of tiny models: what they read is what transformers generates."""

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from docparser_api.model_sizes import Family
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime.engine.base import EngineLoadError, PageImage, PageResult, ParseOptions
from docparser_runtime.engine.generation.page_text import PageSize
from docparser_runtime.engine.generation.prompts import END, Task, prompt
from docparser_runtime.engine.generation.repetition import RepetitionGuard, guard_policy
from docparser_runtime.engine.generation.stopping import Stop
from docparser_runtime.engine.generation.tiling import layout, max_tiles
from docparser_runtime.engine.gpu.assembly import Place, tokenizer_in
from docparser_runtime.engine.gpu.engine import GpuEngine
from docparser_runtime.engine.gpu.ops.select import PLAIN
from docparser_runtime.engine.gpu.prompting import Prompting
from docparser_runtime.engine.gpu.reading import PageReading
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.vision.pixels import cut
from docparser_runtime.engine.listening import Unwanted
from docparser_runtime.engine.registry import create_here, traits_of
from docparser_runtime.engine.tiers import Tier
from docparser_runtime.engine.traits import Traits
from support import tiny_models
from torch import Tensor
from transformers import LogitsProcessor

pytestmark = pytest.mark.thorough  # torch and transformers take seconds to import

PLACE = Place(torch.device("cpu"), torch.float32, PLAIN)
# Enough for the guard against repetition to be needed: tiny models go round in circles.
TOKENS = 80
FAMILY_A = Family.DEEPSEEK_OCR_2
SIZES = ((500, 600), (400, 300), (700, 200))


def page(width: int, height: int) -> PageImage:
    generator = np.random.default_rng(width)
    return PageImage(0, generator.integers(0, 256, (height, width, 3), np.uint8))


@dataclass(frozen=True)
class Subject:
    """An engine and the model that it should equal."""

    family: Family
    peer: Any
    directory: Path
    engine: GpuEngine


@pytest.fixture(scope="module", params=list(Family))
def subject(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Subject]:
    family = Family(request.param)
    peer = tiny_models.of(family)
    directory = tiny_models.save(peer, tmp_path_factory.mktemp("model"), original=True)
    tiny_models.save_tokenizer(directory)
    engine = GpuEngine(family, directory, 3, PLACE)
    engine.load()
    yield Subject(family, peer, directory, engine)
    engine.close()


class Guarded(LogitsProcessor):
    """Our guard against repetition, in its reference form, for transformers."""

    def __init__(self, family: Family, prompt_length: int) -> None:
        self._policy = guard_policy(family, pages=1)
        self._start = prompt_length

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        guard = RepetitionGuard(self._policy, input_ids[0, self._start :].tolist())
        scores[0, list(guard.banned())] = -torch.inf
        return scores


def expected(subject: Subject, image: PageImage, tier: Tier) -> tuple[list[int], str]:
    """Return the tokens and the Markdown that transformers' model makes of a page."""
    tiles = max_tiles(subject.family, tier)
    views = cut(image.pixels, layout(subject.family, image.width, image.height, tiles))
    tokenizer = tokenizer_in(subject.directory)
    tokens = prompt([views.layout], Task.LAYOUT, tokenizer).tokens
    ids = [min(token, tiny_models.IMAGE_TOKEN) for token in tokens]
    inputs: dict[str, Any] = {"pixel_values": scaled(views.whole)[None]}
    grid = views.layout.grid
    if grid.tiles:
        inputs |= {"pixel_values_local": scaled(views.tiles), "num_local_patches": [grid.tiles]}
        if subject.family is Family.UNLIMITED_OCR:
            inputs["patches_grid"] = [[grid.columns, grid.rows]]
    with torch.inference_mode():
        out = subject.peer.generate(
            torch.tensor([ids]),
            attention_mask=torch.ones(1, len(ids), dtype=torch.long),
            max_new_tokens=TOKENS,
            do_sample=False,
            logits_processor=[Guarded(subject.family, len(ids))],
            **inputs,
        )[0, len(ids) :].tolist()
    written = out[: out.index(END)] if END in out else out
    size = PageSize(image.width, image.height)
    reading = PageReading(subject.family, size, tokenizer.stream())
    reading.add(written)
    return written, reading.close(Stop.END)[1].markdown


def scaled(pixels: Any) -> Tensor:
    return (torch.from_numpy(pixels).movedim(-1, -3).float() / 255 - 0.5) / 0.5


def test_a_page_is_read_as_transformers_generates_it(subject: Subject) -> None:
    image = page(500, 600)
    result = subject.engine.parse(image, ParseOptions(max_new_tokens=TOKENS))
    tokens, markdown = expected(subject, image, Tier.LOW)
    assert result.markdown == markdown
    assert result.generation is not None
    assert result.generation.tokens == len(tokens)
    assert result.vision_tokens == 256
    assert result.truncated == (len(tokens) == TOKENS)
    assert (result.tier, result.lowered, result.repetition) == (Tier.LOW, False, False)


def test_the_guard_against_repetition_is_on(subject: Subject) -> None:
    shape = DecoderShape.from_config(subject.peer.config.to_dict())
    jobs = Prompting(subject.family, shape, tokenizer_in(subject.directory), itertools.count())
    views = cut(page(300, 300).pixels, layout(subject.family, 300, 300, 0))
    assert jobs.job(views, None, 0.0).sequence.guard == guard_policy(subject.family, pages=1)
    if subject.family is FAMILY_A:  # the other one's text has no circles
        tokens, _ = expected(subject, page(500, 600), Tier.LOW)
        guard = RepetitionGuard(guard_policy(subject.family, pages=1))
        bans: list[int] = []
        for token in tokens:
            bans += guard.banned()
            guard.add(token)
        assert bans


def test_tiles_come_first(subject: Subject) -> None:
    image = page(1000, 500)
    options = ParseOptions(max_new_tokens=TOKENS, tier=Tier.MEDIUM)
    result = subject.engine.parse(image, options)
    assert result.markdown == expected(subject, image, Tier.MEDIUM)[1]
    assert result.vision_tokens == 256 + 2 * (144 if subject.family is FAMILY_A else 100)


def test_pages_read_together_are_as_each_alone(subject: Subject) -> None:
    options = ParseOptions(max_new_tokens=TOKENS)
    images = [page(*size) for size in SIZES]
    alone = [text_of(subject.engine.parse(image, options)) for image in images]
    with ThreadPoolExecutor(len(images)) as threads:
        results = threads.map(lambda image: subject.engine.parse(image, options), images)
        together = [text_of(result) for result in results]
    assert together == alone
    assert len(set(alone)) == len(alone)


def text_of(result: PageResult) -> str:
    return result.markdown


@dataclass
class Hearer:
    """Hears until it has heard enough."""

    enough: int = 1_000_000
    heard: list[str] = field(default_factory=list)
    anew: int = 0

    def is_wanted(self) -> bool:
        return len(self.heard) < self.enough

    def wrote(self, text: str) -> None:
        self.heard.append(text)

    def began_anew(self) -> None:
        self.anew += 1
        self.heard.clear()


def test_a_listener_hears_all_text_as_it_comes(subject: Subject) -> None:
    hearer = Hearer()
    options = ParseOptions(max_new_tokens=TOKENS)
    result = subject.engine.parse(page(500, 600), options, hearer)
    assert "".join(hearer.heard) == result.markdown
    assert len(hearer.heard) > 1


def test_a_page_nobody_wants_is_left_off_and_others_go_on(subject: Subject) -> None:
    options = ParseOptions(max_new_tokens=400)
    begun = threading.active_count()
    for _ in range(5):
        with pytest.raises(Unwanted):
            subject.engine.parse(page(400, 300), options, Hearer(enough=1))
    after = subject.engine.parse(page(500, 600), ParseOptions(max_new_tokens=TOKENS))
    assert after.markdown == expected(subject, page(500, 600), Tier.LOW)[1]
    assert threading.active_count() == begun


def test_weights_are_needed(subject: Subject, tmp_path: Path) -> None:
    with pytest.raises(EngineLoadError, match="name some"):
        GpuEngine(subject.family, None, 1, PLACE).load()
    with pytest.raises(EngineLoadError, match=r"no tokenizer\.json"):
        GpuEngine(subject.family, tmp_path, 1, PLACE).load()
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(EngineLoadError, match=r"tokenizer\.json is damaged"):
        GpuEngine(subject.family, tmp_path, 1, PLACE).load()


def test_a_large_model_wants_a_gpu(subject: Subject, tmp_path: Path) -> None:
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(2 * 1024**3)
    with pytest.raises(EngineLoadError, match="no GPU"):
        GpuEngine(subject.family, tmp_path, 1, PLACE).load()


def test_the_registry_knows_it(subject: Subject) -> None:
    name = subject.family.value
    engine = create_here(ModelSpec(engine=name), RuntimeConfig(), None)
    assert isinstance(engine, GpuEngine)
    assert engine.name == name
    traits = traits_of(ModelSpec(engine=name), RuntimeConfig())
    assert traits == Traits(engine.generates, engine.tiers)


def test_it_warms_up_and_takes_no_device(subject: Subject) -> None:
    subject.engine.warmup()
    assert subject.engine.devices() == ()
