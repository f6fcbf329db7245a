"""An engine in a process of its own: that process dies, hangs and outlives nobody."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from docparser_api.runtime import FakeConfig, ModelSpec, RuntimeConfig
from docparser_runtime.engine.apart.engine import ApartEngine
from docparser_runtime.engine.apart.failures import EngineLost
from docparser_runtime.engine.apart.messages import Load
from docparser_runtime.engine.apart.patience import Patience
from docparser_runtime.engine.apart.process import Process
from docparser_runtime.engine.base import EngineLoadError, PageImage, ParseOptions
from docparser_runtime.engine.fake import CRASH_EXIT_CODE
from docparser_runtime.engine.listening import Unwanted
from docparser_runtime.engine.registry import create_engine
from docparser_runtime.engine.traits import Traits
from support.eventually import eventually
from support.process_trees import descendants

OPTIONS = ParseOptions(max_new_tokens=None)
HERE = "docparser_runtime.engine.registry:create_here"
A4_AT_144_DPI = (1684, 1191, 3)
MOST_OVERHEAD_SECONDS = 0.1
PARENT = """
import sys, time
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime.engine.apart.engine import ApartEngine
from docparser_runtime.engine.apart.messages import Load
from docparser_runtime.engine.traits import Traits
load = Load(sys.argv[1], ModelSpec(engine="fake"), RuntimeConfig(), None)
ApartEngine(load, Traits()).load()
print("loaded", flush=True)
time.sleep(60)
"""


def a_page(index: int = 0, shape: tuple[int, int, int] = (20, 30, 3)) -> PageImage:
    return PageImage(index, np.full(shape, 255, np.uint8))


@dataclass
class Engines:
    """Makes engines, and remembers their processes."""

    made: list[ApartEngine] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    told: list[str | None] = field(default_factory=list)

    def loaded(self, patience: Patience | None = None, **fake: Any) -> ApartEngine:
        config = RuntimeConfig(max_concurrency=8, fake=FakeConfig(**fake))
        load = Load(HERE, ModelSpec(engine="fake"), config, None)
        engine = ApartEngine(load, Traits(), patience or Patience(first_pause=0.01), self._start)
        self.made.append(engine)
        engine.load()
        engine.on_health(self.told.append)
        return engine

    def _start(self) -> Process:
        self.processes.append(Process(os.environ))
        return self.processes[-1]


@pytest.fixture
def engines() -> Iterator[Engines]:
    engines = Engines()
    yield engines
    for engine in engines.made:
        engine.close()
    assert [process.id for process in engines.processes if is_alive(process.id)] == []


def is_alive(process_id: int) -> bool:
    """Return whether there is such a process that has not ended."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def outcome(work: Callable[[], Any]) -> Any:
    """Return what `work` returns, or raises."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 (compared by the test)
        return error


def test_a_crash_in_the_midst_loses_the_pages_in_hand_and_no_other(engines: Engines) -> None:
    engine = engines.loaded(crash_after_pages=5, page_milliseconds=300)
    with ThreadPoolExecutor(8) as threads:
        pages = [a_page(index) for index in range(8)]
        outcomes = list(
            threads.map(lambda page: outcome(lambda: engine.parse(page, OPTIONS)), pages)
        )
    assert {type(each) for each in outcomes} == {EngineLost}
    eventually(lambda: engines.told[-1:], lambda last: last == [None])
    assert f"exit code {CRASH_EXIT_CODE}" in str(engines.told[1])
    assert engine.parse(a_page(4), OPTIONS).markdown.startswith("# Page 5")
    assert len(engines.processes) == 2


def test_eight_pages_are_read_at_once(engines: Engines) -> None:
    engine = engines.loaded(page_milliseconds=300)
    began = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        pages = [a_page(index) for index in range(8)]
        results = list(threads.map(lambda page: engine.parse(page, OPTIONS).markdown, pages))
    assert [text.splitlines()[0] for text in results] == [f"# Page {n}" for n in range(1, 9)]
    assert time.monotonic() - began < 3 * 0.3


def test_a_process_that_hangs_is_replaced(engines: Engines) -> None:
    engine = engines.loaded(Patience(silence=2, first_pause=0.01), page_milliseconds=200)
    os.kill(engines.processes[0].id, signal.SIGSTOP)
    # More pixels than the socket holds, so that this thread waits for the process to take them.
    with pytest.raises(EngineLost):
        engine.parse(a_page(0, A4_AT_144_DPI), OPTIONS)
    eventually(lambda: engines.told[-1:], lambda last: last == [None])
    assert "it was killed" in str(engines.told[1])
    assert engine.parse(a_page(), OPTIONS).markdown.startswith("# Page 1")


def test_a_page_that_nobody_wants_is_left_off(engines: Engines) -> None:
    class Leaving:
        heard = 0

        def is_wanted(self) -> bool:
            return self.heard == 0

        def wrote(self, text: str) -> None:
            self.heard += len(text)

        def began_anew(self) -> None: ...

    engine = engines.loaded(generates=True, page_milliseconds=60_000, text="a " * 2000)
    began = time.monotonic()
    with pytest.raises(Unwanted):
        engine.parse(a_page(), OPTIONS, Leaving())
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("stopped", [False, True])
def test_the_process_does_not_outlive_the_service(*, stopped: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, HERE], stdout=subprocess.PIPE, text=True
    ) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "loaded\n"
            children = descendants(parent.pid)
            assert len(children) == 1
            if stopped:
                os.kill(children[0], signal.SIGSTOP)
            parent.kill()
            eventually(lambda: is_alive(children[0]), lambda alive: not alive, 5)
        finally:
            with suppress(ProcessLookupError):
                parent.kill()


def test_why_an_engine_of_a_gpu_cannot_load_is_told() -> None:
    engine = create_engine(ModelSpec(engine="unlimited-ocr"), RuntimeConfig())
    assert isinstance(engine, ApartEngine)
    with pytest.raises(EngineLoadError, match=r"weights|torch"):
        engine.load()


def test_the_way_to_the_process_takes_a_page_little_time(engines: Engines) -> None:
    engine, page, seconds = engines.loaded(), a_page(0, A4_AT_144_DPI), []
    for _ in range(20):
        began = time.monotonic()
        engine.parse(page, OPTIONS)
        seconds.append(time.monotonic() - began)
    print(f"an A4 page, {page.pixels.nbytes} bytes: {1000 * median(seconds):.1f} ms")
    assert median(seconds) < MOST_OVERHEAD_SECONDS
