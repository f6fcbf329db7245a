"""The fake engine's faults come as often as the configuration says."""

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docparser_api.runtime import FakeConfig
from docparser_runtime.engine.base import EngineLoadError, PageImage, PageResult, ParseOptions
from docparser_runtime.engine.fake import CRASH_EXIT_CODE, FakeEngine, FakeFailure
from docparser_runtime.engine.listening import Unwanted
from docparser_runtime.engine.tiers import Tier

OPTIONS = ParseOptions(max_new_tokens=None)
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from docparser_api.runtime import FakeConfig
from docparser_runtime.engine.base import PageImage, ParseOptions
from docparser_runtime.engine.fake import FakeEngine

def resident_pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

engine = FakeEngine(FakeConfig.model_validate_json(sys.argv[1]))
engine.load()
page = PageImage(0, np.zeros((1, 1, 3), np.uint8))
before = resident_pages()
for number in range(3):
    engine.parse(page, ParseOptions(None))
    print(number, resident_pages() - before, flush=True)
"""


def a_page(index: int = 0) -> PageImage:
    return PageImage(index, np.zeros((2, 3, 3), np.uint8))


def an_engine(weights: Path | None = None, **config: Any) -> FakeEngine:
    engine = FakeEngine(FakeConfig(**config), weights)
    engine.load()
    return engine


def read(engine: FakeEngine, index: int = 0) -> PageResult | None:
    """Return the result, None for a failure."""
    try:
        return engine.parse(a_page(index), OPTIONS)
    except FakeFailure:
        return None


def in_a_process(config: FakeConfig) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, config.model_dump_json()],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_text_of_the_configuration_goes_before_that_of_the_weights(tmp_path: Path) -> None:
    (tmp_path / "fake.md").write_text("# Straße\n")
    assert an_engine(tmp_path).parse(a_page(7), OPTIONS).markdown == "# Straße"
    assert an_engine(tmp_path, text="given").parse(a_page(), OPTIONS).markdown == "given"


def test_weights_without_a_text_leave_the_default(tmp_path: Path) -> None:
    assert an_engine(tmp_path).parse(a_page(), OPTIONS) == an_engine().parse(a_page(), OPTIONS)


def test_a_text_that_cannot_be_read_is_an_error_of_loading(tmp_path: Path) -> None:
    (tmp_path / "fake.md").write_bytes(b"\xff")
    with pytest.raises(
        EngineLoadError, match=r"^weights_invalid: fake\.md of the weights cannot be read"
    ):
        an_engine(tmp_path)


@pytest.mark.parametrize("percent", [0, 1, 25, 50, 99, 100])
def test_faults_are_evenly_spread(percent: int) -> None:
    engine = an_engine(
        fail_percent=percent, text="x", truncate_percent=percent, repeat_percent=100 - percent
    )
    flags = []
    for number in range(1, 201):
        failed = read(engine) is None
        page = read(engine, index=1)
        assert page is not None, "only the first page of a document fails"
        flags.append((failed, page.truncated, page.repetition))
        failures = sum(flag for flag, _, _ in flags)
        assert failures == number * percent // 100
    again = an_engine(text="x", truncate_percent=percent, repeat_percent=100 - percent)
    pages = [read(again) for _ in range(200)]
    assert sum(page.truncated for page in pages if page) == 2 * percent
    assert sum(page.repetition for page in pages if page) == 200 - 2 * percent


def test_threads_share_the_counts() -> None:
    engine = an_engine(fail_percent=30, page_milliseconds=1)
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: read(engine), range(200)))
    assert results.count(None) == 60


def test_leaked_memory_is_really_taken() -> None:
    leaked = in_a_process(FakeConfig(leak_bytes_per_page=64 * 1024**2))
    assert leaked.returncode == 0, leaked.stderr
    taken = [int(line.split()[1]) * resource.getpagesize() for line in leaked.stdout.splitlines()]
    assert [round(size / 64 / 1024**2, 1) for size in taken] == [1, 2, 3]


def test_the_process_ends_abruptly_after_so_many_pages() -> None:
    crashed = in_a_process(FakeConfig(crash_after_pages=2))
    assert crashed.returncode == CRASH_EXIT_CODE
    assert [line.split()[0] for line in crashed.stdout.splitlines()] == ["0", "1"]


@pytest.mark.parametrize(
    ("options", "tier", "tokens", "lowered"),
    [
        (ParseOptions(None), Tier.HIGH, 1120, False),
        (ParseOptions(None, at_most=Tier.MEDIUM), Tier.MEDIUM, 832, True),
        (ParseOptions(None, Tier.LOW, at_most=Tier.MEDIUM), Tier.LOW, 256, False),
    ],
)
def test_a_page_is_read_at_its_tier(
    options: ParseOptions, tier: Tier, tokens: int, *, lowered: bool
) -> None:
    page = an_engine().parse(a_page(), options)
    assert (page.tier, page.vision_tokens, page.lowered) == (tier, tokens, lowered)


def test_a_lower_tier_takes_its_share_of_the_time() -> None:
    engine = an_engine(page_milliseconds=60_000, low_time_percent=0)
    began = time.monotonic()
    engine.parse(a_page(), ParseOptions(None, Tier.LOW))
    assert time.monotonic() - began < 30


def test_text_is_told_word_by_word_over_the_time_of_the_page() -> None:
    engine = an_engine(text="one two\n three", generates=True, page_milliseconds=9)
    told = Told()
    page = engine.parse(a_page(), OPTIONS, told)
    assert told.pieces == ["one ", "two\n ", "three"]
    assert page.markdown == "one two\n three"
    assert page.generation is not None
    assert (page.generation.tokens, page.generation.attempts) == (3, 1)
    assert page.generation.first_token_seconds == pytest.approx(0.003, abs=0.5)
    assert page.generation.token_seconds is not None
    assert page.generation.token_seconds > 0


def test_it_writes_no_more_than_it_may() -> None:
    engine = an_engine(generates=True)
    page = engine.parse(a_page(), ParseOptions(max_new_tokens=3))
    assert (page.markdown.split(), page.blocks) == (["#", "Page", "1"], ())
    assert page.truncated
    whole = engine.parse(a_page(), ParseOptions(max_new_tokens=99))
    assert (whole.truncated, len(whole.blocks)) == (False, 2)


def test_it_leaves_off_when_nobody_waits_any_more() -> None:
    engine = an_engine(text="one two three", generates=True)
    told = Told(wanted=2)
    with pytest.raises(Unwanted):
        engine.parse(a_page(), OPTIONS, told)
    assert told.pieces == ["one ", "two "]


@dataclass
class Told:
    """Waits for so many pieces of text, and keeps them."""

    wanted: int = 99
    pieces: list[str] = field(default_factory=list)

    def is_wanted(self) -> bool:
        return len(self.pieces) < self.wanted

    def wrote(self, text: str) -> None:
        self.pieces.append(text)

    def began_anew(self) -> None:
        self.pieces.clear()
