"""An engine's "process" that is a thread, at the other end of a real socket."""

import io
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docparser_api.runtime import FakeConfig, ModelSpec, RuntimeConfig
from docparser_runtime import logs
from docparser_runtime.engine.apart import messages
from docparser_runtime.engine.apart.child import EngineProcess
from docparser_runtime.engine.apart.connection import Connection, Gone
from docparser_runtime.engine.apart.engine import ApartEngine
from docparser_runtime.engine.apart.patience import Patience
from docparser_runtime.engine.base import PageImage
from docparser_runtime.engine.traits import Traits

ChildTalk = Connection[messages.FromEngine, messages.ToEngine]
QUICK = Patience(silence=5, first_pause=0.001, longest_pause=0.002, look=0.001)
SILENT = logs.create(io.StringIO(), "error")
HERE = "docparser_runtime.engine.registry:create_here"


def a_page(index: int = 0, side: int = 4) -> PageImage:
    return PageImage(index, np.full((side, side + 1, 3), 7, np.uint8))


def a_load(weights: Path | None = None, factory: str = HERE, **fake: Any) -> messages.Load:
    config = RuntimeConfig(max_concurrency=8, fake=FakeConfig(**fake))
    path = None if weights is None else str(weights)
    return messages.Load(factory, ModelSpec(engine="fake"), config, path)


def serve(talk: ChildTalk) -> None:
    """Be an honest process."""
    EngineProcess(talk, SILENT, lambda _: talk.hang_up()).serve()


class Thread:
    """A thread in the place of a process."""

    def __init__(self, serve: Callable[[ChildTalk], None]) -> None:
        ours, theirs = socket.socketpair()
        self.talk = Connection(ours, messages.TO_ENGINE, messages.FROM_ENGINE)
        self.theirs: ChildTalk = Connection(theirs, messages.FROM_ENGINE, messages.TO_ENGINE)
        self._serve = serve
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def end(self) -> str:
        self.talk.close()
        self._thread.join()
        return "a thread"

    def _run(self) -> None:
        try:
            self._serve(self.theirs)
        except Gone:
            pass
        finally:
            self.theirs.close()


@dataclass
class Starts:
    """Starts threads that do as `serve` says, and remembers them."""

    serve: Callable[[ChildTalk], None] = serve
    lives: list[Thread] = field(default_factory=list)

    def __call__(self) -> Thread:
        self.lives.append(Thread(self.serve))
        return self.lives[-1]


Engines = Callable[..., ApartEngine]


@pytest.fixture
def engines() -> Iterator[Engines]:
    """Return what makes engines that are closed at the end."""
    made: list[ApartEngine] = []

    def make(
        load: messages.Load | None = None,
        starts: Starts | None = None,
        patience: Patience = QUICK,
        *,
        generates: bool = False,
    ) -> ApartEngine:
        made.append(ApartEngine(load or a_load(), Traits(generates), patience, starts or Starts()))
        return made[-1]

    yield make
    for engine in made:
        engine.close()
