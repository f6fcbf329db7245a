"""An engine apart does what the engine does, and comes back when it has died."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest
from docparser_api.runtime import FakeConfig
from docparser_runtime.engine.apart import messages
from docparser_runtime.engine.apart.failures import EngineAway, EngineLost
from docparser_runtime.engine.apart.pages import PageFailed
from docparser_runtime.engine.apart.patience import Patience
from docparser_runtime.engine.base import DeviceUse, EngineLoadError, PageResult, ParseOptions
from docparser_runtime.engine.fake import TEXT_FILE, FakeEngine
from docparser_runtime.engine.health import SelfHealing
from docparser_runtime.engine.listening import Unwanted
from support.eventually import eventually

from .conftest import ChildTalk, Engines, Starts, a_load, a_page, serve

OPTIONS = ParseOptions(max_new_tokens=None)


@dataclass
class Ear:
    """Hears all that is written, and leaves after `patience` pieces."""

    patience: int = 1_000_000
    pieces: list[str] = field(default_factory=list)

    def is_wanted(self) -> bool:
        return len(self.pieces) < self.patience

    def wrote(self, text: str) -> None:
        self.pieces.append(text)

    def began_anew(self) -> None:
        self.pieces.clear()


class NoStarts(Starts):
    def __call__(self) -> NoReturn:
        raise OSError("no memory")


def test_pages_are_read_as_by_the_engine_itself_many_at_once(engines: Engines) -> None:
    engine, itself = engines(a_load(page_milliseconds=20)), FakeEngine(FakeConfig())
    engine.load()
    engine.warmup()
    pages = [a_page(index, 10 + index) for index in range(8)]
    began = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda page: engine.parse(page, OPTIONS), pages))
    assert results == [itself.parse(page, OPTIONS) for page in pages]
    assert time.monotonic() - began < 8 * 0.02


def test_text_is_told_as_it_is_written(engines: Engines) -> None:
    engine, ear = engines(a_load(generates=True, text="eins zwei drei"), generates=True), Ear()
    engine.load()
    result = engine.parse(a_page(), OPTIONS, ear)
    assert ("".join(ear.pieces), len(ear.pieces)) == (result.markdown, 3)
    assert result.generation is not None
    assert result.generation.tokens == 3


def test_the_process_hears_at_once_that_nobody_waits_any_more(engines: Engines) -> None:
    engine = engines(a_load(generates=True, page_milliseconds=60_000, text="a " * 2000))
    engine.load()
    began = time.monotonic()
    with pytest.raises(Unwanted):
        engine.parse(a_page(), OPTIONS, Ear(patience=1))
    assert time.monotonic() - began < 1


def test_a_load_failure_tells_what_the_engine_tells(engines: Engines, tmp_path: Path) -> None:
    (tmp_path / TEXT_FILE).write_bytes(b"\xff")
    starts = Starts()
    with pytest.raises(EngineLoadError, match=r"^weights_invalid: fake\.md"):
        engines(a_load(tmp_path), starts).load()
    assert len(starts.lives) == 1


@pytest.mark.parametrize("factory", ["nowhere.at_all:create", "docparser_runtime.engine.fake:no"])
def test_an_engine_that_is_not_there_is_a_load_failure(engines: Engines, factory: str) -> None:
    with pytest.raises(EngineLoadError, match=r"(nowhere|no)'"):
        engines(a_load(factory=factory)).load()


def test_a_process_that_dies_while_it_loads_is_a_load_failure(engines: Engines) -> None:
    starts = Starts(lambda talk: talk.hang_up())
    with pytest.raises(EngineLoadError, match=r"has ended: .* \(a thread\)"):
        engines(starts=starts).load()
    assert len(starts.lives) == 1


def test_what_cannot_be_started_is_a_load_failure(engines: Engines) -> None:
    with pytest.raises(EngineLoadError, match="no memory"):
        engines(starts=NoStarts()).load()


def test_a_page_that_fails_takes_no_other_along(engines: Engines) -> None:
    engine = engines(a_load(fail_percent=100))
    engine.load()
    with pytest.raises(PageFailed, match=r"^FakeFailure at fake\.py:\d+ parse$"):
        engine.parse(a_page(0), OPTIONS)
    assert engine.parse(a_page(1), OPTIONS).markdown.startswith("# Page 2")


def test_a_death_is_told_and_followed_by_a_new_life(engines: Engines) -> None:
    starts, told = Starts(), list[str | None]()
    load = a_load(generates=True, page_milliseconds=1000, text="a b c d e f g h i j " * 10)
    engine, ears = engines(load, starts), [Ear() for _ in range(3)]
    engine.load()
    assert isinstance(engine, SelfHealing)
    engine.on_health(told.append)
    with ThreadPoolExecutor(3) as threads:
        reading = [threads.submit(engine.parse, a_page(3), OPTIONS, ear) for ear in ears]
        eventually(lambda: [len(ear.pieces) for ear in ears], all)
        starts.lives[0].theirs.hang_up()
        errors = [each.exception() for each in reading]
    for error in errors:
        assert isinstance(error, EngineLost)
        assert (error.code, error.status) == ("not_ready", 503)
        assert error.headers == {"Retry-After": "5"}
        assert "page 3" in error.detail
    eventually(lambda: told[-1:], lambda last: last == [None])
    assert told[0] is None
    assert "hung up (a thread)" in str(told[1])
    assert engine.parse(a_page(), ParseOptions(max_new_tokens=2)).markdown.strip() == "a b"


def test_an_end_that_was_asked_for_is_no_death(engines: Engines) -> None:
    engine, told = engines(), list[str | None]()
    engine.load()
    engine.on_health(told.append)
    engine.close()
    assert told == [None]
    with pytest.raises(EngineAway):
        engine.parse(a_page(), OPTIONS)


def test_silence_counts_as_death(engines: Engines) -> None:
    def fall_silent(talk: ChildTalk) -> None:
        talk.hear()
        talk.say(messages.Loaded())
        while True:
            talk.hear()

    starts = Starts(fall_silent)
    engine = engines(starts=starts, patience=Patience(silence=0.05, first_pause=0.001, look=0.001))
    engine.load()
    starts.serve = serve
    with pytest.raises(EngineLost):
        engine.parse(a_page(), OPTIONS)


def test_while_there_is_no_process_pages_are_refused(engines: Engines) -> None:
    starts = Starts()
    engine = engines(starts=starts, patience=Patience(first_pause=60))
    told: list[str | None] = []
    engine.on_health(told.append)
    engine.load()
    starts.lives[0].theirs.hang_up()
    eventually(lambda: told, lambda all_told: len(all_told) == 3)
    with pytest.raises(EngineAway):
        engine.parse(a_page(), OPTIONS)
    assert engine.devices() == ()


def test_a_life_that_fails_to_load_is_followed_by_another(engines: Engines, tmp_path: Path) -> None:
    starts, told, text = Starts(), list[str | None](), tmp_path / TEXT_FILE
    text.write_bytes(b"fine")
    engine = engines(a_load(tmp_path), starts)
    engine.load()
    engine.on_health(told.append)
    text.write_bytes(b"\xff")
    starts.lives[0].theirs.hang_up()
    eventually(lambda: told[-1], lambda last: "weights_invalid" in str(last))
    better = tmp_path / "better"
    better.write_bytes(b"better")
    better.replace(text)
    eventually(lambda: told[-1:], lambda last: last == [None])
    assert engine.parse(a_page(), OPTIONS).markdown == "better"


def test_devices_are_those_that_were_told_last(engines: Engines) -> None:
    used = (DeviceUse("0", memory_used_bytes=5), DeviceUse("1", busy_ratio=0.5))

    def tell(talk: ChildTalk) -> None:
        talk.hear()
        talk.say(messages.Beat((used[0],)))
        talk.say(messages.Beat(used))
        talk.say(messages.Loaded())
        page, _ = talk.hear()
        assert isinstance(page, messages.Page)
        talk.say(messages.BeganAnew(page.id))
        talk.say(messages.Read(page.id, PageResult("x")))
        talk.hear()

    engine, ear = engines(starts=Starts(tell)), Ear(pieces=["void"])
    engine.load()
    assert tuple(engine.devices()) == used
    assert engine.parse(a_page(), OPTIONS, ear) == PageResult("x")
    assert ear.pieces == []
