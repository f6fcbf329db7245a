"""The engine of a tiny model in a process of its own writes what it writes in this one."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from docparser_api.model_sizes import Family
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime.engine.apart.engine import ApartEngine
from docparser_runtime.engine.apart.messages import Load
from docparser_runtime.engine.base import Engine, EngineLoadError, PageImage, ParseOptions
from docparser_runtime.engine.registry import create_here
from docparser_runtime.engine.traits import Traits
from support import tiny_models

pytestmark = pytest.mark.thorough  # torch and transformers take seconds to import

NAME = Family.DEEPSEEK_OCR_2
CONFIG = RuntimeConfig(max_concurrency=2)
OPTIONS = ParseOptions(max_new_tokens=20)


@dataclass
class Ear:
    pieces: list[str] = field(default_factory=list)

    def is_wanted(self) -> bool:
        return True

    def wrote(self, text: str) -> None:
        self.pieces.append(text)

    def began_anew(self) -> None:
        self.pieces.clear()


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("model")
    saved = tiny_models.save(tiny_models.of(NAME), directory, original=True)
    tiny_models.save_tokenizer(saved)
    return saved


@pytest.fixture
def engines(weights: Path) -> Iterator[tuple[Engine, Engine]]:
    """The engine here, and the one apart."""
    model = ModelSpec(engine="deepseek-ocr2")
    load = Load("docparser_runtime.engine.registry:create_here", model, CONFIG, str(weights))
    here = create_here(model, CONFIG, weights)
    apart = ApartEngine(load, Traits(here.generates, here.tiers))
    here.load()
    apart.load()
    yield here, apart
    here.close()
    apart.close()


def a_page(index: int) -> PageImage:
    generator = np.random.default_rng(index)
    return PageImage(index, generator.integers(0, 256, (300, 200 + index, 3), np.uint8))


def test_pages_and_their_text_come_as_they_are(engines: tuple[Engine, Engine]) -> None:
    here, apart = engines
    pages, ears = [a_page(0), a_page(1)], [Ear(), Ear()]
    expected = [here.parse(page, OPTIONS) for page in pages]
    with ThreadPoolExecutor(2) as threads:
        results = list(threads.map(apart.parse, pages, [OPTIONS] * 2, ears))
    assert [replace(each, generation=None) for each in results] == [
        replace(each, generation=None) for each in expected
    ]
    assert ["".join(ear.pieces) for ear in ears] == [each.markdown for each in expected]
    assert all(each.generation and each.generation.tokens for each in results)


def test_damaged_weights_are_told(weights: Path, tmp_path: Path) -> None:
    for file in weights.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    model = ModelSpec(engine="deepseek-ocr2")
    load = Load("docparser_runtime.engine.registry:create_here", model, CONFIG, str(tmp_path))
    with pytest.raises(EngineLoadError, match=r"tokenizer\.json is damaged"):
        ApartEngine(load, Traits()).load()
