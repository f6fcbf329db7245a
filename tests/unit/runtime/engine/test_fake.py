"""The fake engine's faults come as often as the configuration says."""

import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docparser_api.runtime import FakeConfig
from docparser_runtime.engine.base import EngineLoadError, PageImage, PageResult, ParseOptions
from docparser_runtime.engine.fake import CRASH_EXIT_CODE, FakeEngine, FakeFailure

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
    assert an_engine(tmp_path).parse(a_page(7), OPTIONS) == PageResult("# Straße")
    assert an_engine(tmp_path, text="given").parse(a_page(), OPTIONS) == PageResult("given")


def test_weights_without_a_text_leave_the_default(tmp_path: Path) -> None:
    assert an_engine(tmp_path).parse(a_page(), OPTIONS) == an_engine().parse(a_page(), OPTIONS)


def test_a_text_that_cannot_be_read_is_an_error_of_loading(tmp_path: Path) -> None:
    (tmp_path / "fake.md").write_bytes(b"\xff")
    with pytest.raises(EngineLoadError, match=r"fake\.md of the weights cannot be read"):
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
