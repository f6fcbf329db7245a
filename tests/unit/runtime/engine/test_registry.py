import subprocess
import sys
import time
import typing

import numpy as np
import pytest
from docparser_api.runtime import Engine as Name
from docparser_api.runtime import FakeConfig, ModelSpec, RuntimeConfig
from docparser_runtime.engine.base import PageImage, ParseOptions
from docparser_runtime.engine.fake import FakeEngine
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from docparser_runtime.engine.registry import create_engine, traits_of
from docparser_runtime.engine.traits import Traits

OPTIONS = ParseOptions(max_new_tokens=1)


def test_each_name_has_its_engine() -> None:
    fake = create_engine(ModelSpec(engine="fake"), RuntimeConfig())
    real = create_engine(ModelSpec(engine="rapidocr"), RuntimeConfig(engine_threads=1))
    assert (type(fake), type(real)) == (FakeEngine, RapidOcrEngine)
    assert (fake.generates, real.generates) == (False, False)


@pytest.mark.parametrize("name", typing.get_args(Name))
@pytest.mark.parametrize("generates", [False, True])
def test_what_is_said_of_an_engine_is_what_it_says(name: Name, *, generates: bool) -> None:
    model, config = ModelSpec(engine=name), RuntimeConfig(fake=FakeConfig(generates=generates))
    engine = create_engine(model, config)
    assert traits_of(model, config) == Traits(engine.generates, engine.tiers)


def test_an_engine_does_not_import_what_another_needs() -> None:
    program = (
        "import sys; from docparser_api.runtime import *;"
        "from docparser_runtime.engine.registry import create_engine;"
        "create_engine(ModelSpec(engine='fake'), RuntimeConfig()).load();"
        "print('onnxruntime' in sys.modules, 'cv2' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "False False\n"


def test_the_fake_text_depends_on_place_and_size_only() -> None:
    engine = FakeEngine(FakeConfig())
    engine.load()
    engine.warmup()
    black = PageImage(4, np.zeros((20, 10, 3), np.uint8))
    white = PageImage(4, np.full((20, 10, 3), 255, np.uint8))
    result = engine.parse(black, OPTIONS)
    assert result == engine.parse(white, OPTIONS)
    assert result.markdown == "# Page 5\n\nIt measures 10 by 20 pixels."
    assert result.markdown == "\n\n".join(block.markdown for block in result.blocks)
    engine.close()


def test_the_fake_takes_its_time() -> None:
    engine = FakeEngine(FakeConfig(page_milliseconds=30, load_milliseconds=20))
    start = time.monotonic()
    engine.load()
    engine.parse(PageImage(0, np.zeros((1, 1, 3), np.uint8)), OPTIONS)
    assert time.monotonic() - start >= 0.05
