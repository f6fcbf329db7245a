"""The parts: what comes over the socket, which failures are whose, and how long one waits."""

import io
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from docparser_runtime import logs
from docparser_runtime.engine.apart import messages
from docparser_runtime.engine.apart.answering import Reader
from docparser_runtime.engine.apart.child import EXIT_BROKEN, EngineProcess
from docparser_runtime.engine.apart.connection import Connection, Gone
from docparser_runtime.engine.apart.patience import Patience
from docparser_runtime.engine.apart.process import passed_on
from docparser_runtime.engine.base import DeviceUse, PageResult, ParseOptions
from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.tiers import NO_TIERS, Tier
from support.eventually import eventually

from .conftest import SILENT, ChildTalk, a_load

Pair = tuple[Connection[messages.ToEngine, messages.FromEngine], ChildTalk, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Both ends of a connection, and the bare socket of the second."""
    ours, theirs = socket.socketpair()
    service = Connection(ours, messages.TO_ENGINE, messages.FROM_ENGINE)
    child = Connection(theirs, messages.FROM_ENGINE, messages.TO_ENGINE)
    yield service, child, theirs
    service.close()
    child.close()


@dataclass
class Sick:
    """Raises for every page, and cannot warm up any more once `is_broken`."""

    is_broken: bool
    name: str = "sick"
    generates: bool = False
    tiers: frozenset[Tier] = NO_TIERS
    warmups: list[None] = field(default_factory=list)

    def load(self) -> None: ...

    def warmup(self) -> None:
        self.warmups.append(None)
        if self.is_broken:
            raise RuntimeError("a sticky fault")

    def devices(self) -> tuple[DeviceUse, ...]:
        return ()

    def parse(self, page: object, options: object, listener: Listener = UNHEARD) -> PageResult:
        raise ValueError(f"secret text of {page}, {options}, {listener}")

    def close(self) -> None: ...


PAGE = messages.Page(7, 0, 2, 1, None, ParseOptions(None))
PIXELS = np.zeros(6, np.uint8)


def test_a_page_keeps_its_pixels_and_options(pair: Pair) -> None:
    service, child, _ = pair
    options = ParseOptions(5, Tier.LOW, Tier.MEDIUM)
    page = messages.Page(1, 2, 3, 4, 144.5, options)
    pixels = np.arange(36, dtype=np.uint8)
    service.say(page, pixels.data)
    heard, payload = child.hear()
    assert heard == page
    assert payload.tolist() == pixels.tolist()


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (b"", "hung up"),
        (b"\0\0\0\2\0\0", "hung up"),
        (b"\xff" * 12, "too long"),
        (b"\0\0\0\2" + b"\0" * 8 + b"{}", "unknown form"),
        (b"\0\0\0\4" + b"\xff" * 8 + b"null", "too long"),
    ],
)
def test_who_talks_nonsense_is_gone(pair: Pair, frame: bytes, why: str) -> None:
    service, child, bare = pair
    bare.sendall(frame)
    child.hang_up()
    with pytest.raises(Gone, match=why):
        service.hear()


def test_who_takes_no_messages_is_gone(pair: Pair) -> None:
    service, child, _ = pair
    service.give_up_after(0.02)
    with pytest.raises(Gone, match="takes no messages"):
        service.say(PAGE, memoryview(bytes(64_000_000)))
    with pytest.raises(Gone):
        child.hear()


def test_no_text_of_a_page_is_shown_in_a_failure(pair: Pair) -> None:
    service, child, _ = pair
    engine, broken, stream = Sick(is_broken=False), list[None](), io.StringIO()
    log = logs.create(stream, "warning")
    Reader(engine, 1, child, log, lambda: broken.append(None)).begin(PAGE, PIXELS)
    failed, _ = service.hear()
    assert isinstance(failed, messages.Failed)
    assert (failed.id, failed.error) == (7, "ValueError")
    assert "secret" not in json.dumps(failed.__dict__)
    assert json.loads(stream.getvalue())["error"] == "ValueError"
    assert "secret" not in stream.getvalue()
    assert (len(engine.warmups), broken) == (1, [])


def test_an_engine_that_can_read_nothing_any_more_ends_its_process(pair: Pair) -> None:
    _, child, _ = pair
    broken: list[None] = []
    Reader(Sick(is_broken=True), 1, child, SILENT, lambda: broken.append(None)).begin(PAGE, PIXELS)
    eventually(lambda: len(broken), lambda count: count == 1)


def test_pages_of_another_size_than_said_are_nonsense(pair: Pair) -> None:
    _, child, _ = pair
    with pytest.raises(Gone, match="another size"):
        Reader(Sick(is_broken=False), 1, child, SILENT, lambda: None).begin(PAGE, PIXELS[1:])


def test_a_process_that_is_asked_too_early_leaves(pair: Pair) -> None:
    service, child, _ = pair
    service.say(PAGE, PIXELS.data)
    with pytest.raises(Gone, match="does not wait"):
        EngineProcess(child, SILENT, lambda _: None).serve()


class SickLater(Sick):
    """Loads, but its devices fail."""

    def devices(self) -> tuple[DeviceUse, ...]:
        raise RuntimeError("a sticky fault")


def sick_later(*_: object) -> Sick:
    return SickLater(is_broken=False)


def test_a_device_that_cannot_be_asked_any_more_ends_the_process(pair: Pair) -> None:
    service, child, _ = pair
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        child.hang_up()

    process = EngineProcess(child, SILENT, leave, beat_seconds=0.001)
    service.say(a_load(factory=f"{__name__}:sick_later"))
    with pytest.raises(Gone):
        process.serve()
    assert codes == [EXIT_BROKEN]


def test_pauses_grow_to_a_limit_and_begin_anew_after_a_good_life() -> None:
    patience = Patience(first_pause=1, longest_pause=5, good_life=60)
    pauses = [0.0]
    for lived in (0, 0, 0, 0, 0, 60, 0):
        pauses.append(patience.next_pause(pauses[-1], lived))
    assert pauses[1:] == [1, 2, 4, 5, 5, 1, 2]


def test_tokens_and_addresses_stay_with_the_service() -> None:
    environ = {
        "PATH": "/bin",
        "CUDA_VISIBLE_DEVICES": "3",
        "LD_LIBRARY_PATH": "/lib",
        "DOCPARSER_TOKEN": "secret",
        "DOCPARSER_DATABASE_URL": "postgresql://secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }
    assert sorted(passed_on(environ)) == ["CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PATH"]
