"""An engine that lives in a process of its own, and is started again when that dies."""

import os
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from docparser_runtime.engine.apart.connection import Gone
from docparser_runtime.engine.apart.failures import EngineAway, EngineLost
from docparser_runtime.engine.apart.life import Life, Running
from docparser_runtime.engine.apart.messages import Load, Page, Unwanted
from docparser_runtime.engine.apart.pages import Pages
from docparser_runtime.engine.apart.patience import Patience
from docparser_runtime.engine.apart.process import Process, Talk
from docparser_runtime.engine.base import (
    DeviceUse,
    EngineLoadError,
    PageImage,
    PageResult,
    ParseOptions,
)
from docparser_runtime.engine.health import Hears
from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.traits import Traits


def started() -> Running:
    """Return a fresh process.

    Raises:
        OSError: it cannot be started.
    """
    return Process(os.environ)


class ApartEngine:
    """Passes pages to the engine that `load` describes, which has `traits`."""

    def __init__(
        self,
        load: Load,
        traits: Traits,
        patience: Patience | None = None,
        start: Callable[[], Running] = started,
    ) -> None:
        self.name: str = load.model.engine
        self.generates = traits.generates
        self.tiers = traits.tiers
        self._load = load
        self._patience = patience or Patience()
        self._start = start
        self._pages = Pages()
        self._news = threading.Condition()
        self._process: Running | None = None
        self._life: Life | None = None
        self._talk: Talk | None = None
        self._has_served = False
        self._ills: str | None = "the engine has not been loaded yet"
        self._failure: str | None = None
        self._closing = threading.Event()
        self._hearers: list[Hears] = []
        self._threads = [
            threading.Thread(target=work, name=name, daemon=True)
            for name, work in (("engine-life", self._live), ("engine-pages", self._watch))
        ]

    def load(self) -> None:
        """Start the process and wait until its engine has loaded and read its known page.

        Raises:
            EngineLoadError: it could not; the message is that of the engine.
        """
        for thread in self._threads:
            thread.start()
        with self._news:
            self._news.wait_for(lambda: self._talk is not None or self._failure is not None)
        if self._failure is not None:
            self.close()
            raise EngineLoadError(self._failure)

    def warmup(self) -> None:
        """Do nothing: the process warms up whenever it has loaded."""

    def parse(
        self, page: PageImage, options: ParseOptions, listener: Listener = UNHEARD
    ) -> PageResult:
        """Return what stands on `page`.

        Raises:
            Unwanted: the listener does not want the page any more.
            EngineAway: the process is being started again.
            EngineLost: it died with the page in hand.
            PageFailed: the engine cannot read this page.
        """
        with self._news:
            talk = self._talk
            if talk is None:
                raise EngineAway
            waiting = self._pages.add(page.index, listener)
            self._news.notify_all()
        try:
            pixels = np.ascontiguousarray(page.pixels)
            head = Page(waiting.id, page.index, page.width, page.height, page.dpi, options)
            talk.say(head, pixels.data.cast("B"))
            return waiting.outcome()
        except Gone:
            raise EngineLost(page.index) from None
        finally:
            self._pages.remove(waiting)

    def devices(self) -> Sequence[DeviceUse]:
        """Return what the process told last; nothing while there is none."""
        life = self._life
        return () if life is None else life.devices

    def close(self) -> None:
        """End the process; pages in hand fail."""
        with self._news:
            self._closing.set()
            self._news.notify_all()
            if self._process is not None:
                self._process.talk.hang_up()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def on_health(self, call: Hears) -> None:
        """Call this at once with the present state, and with each new one."""
        with self._news:
            self._hearers.append(call)
            call(self._ills)

    def _live(self) -> None:
        """Start one process after the other. The kernel ends them with this thread."""
        pause = 0.0
        while not self._closing.is_set():
            began = time.monotonic()
            ills = self._one_life()
            if self._failure is not None or self._closing.is_set():
                break
            self._tell(ills)
            self._pages.fail_all(EngineLost)
            pause = self._patience.next_pause(pause, time.monotonic() - began)
            self._closing.wait(pause)
        self._pages.fail_all(EngineLost)

    def _one_life(self) -> str:
        """Return why it is over."""
        try:
            process = self._start()
        except OSError as error:
            return self._over(f"no process can be started: {error}")
        life = Life(process, self._pages, lambda: self._ready(process.talk))
        with self._news:
            self._process, self._life = process, life
            if self._closing.is_set():
                process.talk.hang_up()
        ills = life.live(self._load, self._patience)
        with self._news:
            self._talk = self._process = self._life = None
        ended = process.end()
        return self._over(ills if life.load_failure is not None else f"{ills} ({ended})")

    def _over(self, ills: str) -> str:
        """Have `load` fail if it still waits: only who has served once is started again."""
        with self._news:
            if not self._has_served:
                self._failure = ills
                self._news.notify_all()
        return ills

    def _ready(self, talk: Talk) -> None:
        with self._news:
            self._talk, self._has_served = talk, True
            self._news.notify_all()
        self._tell(None)

    def _tell(self, ills: str | None) -> None:
        with self._news:
            self._ills = ills
            for call in self._hearers:
                call(ills)

    def _watch(self) -> None:
        """Tell the process of pages that nobody waits for any more."""
        while not self._closing.wait(self._patience.look):
            with self._news:
                self._news.wait_for(lambda: len(self._pages) > 0 or self._closing.is_set())
                talk = self._talk
            if talk is not None:
                self._withdraw(talk)

    def _withdraw(self, talk: Talk) -> None:
        for page_id in self._pages.newly_unwanted():
            try:
                talk.say(Unwanted(page_id))
            except Gone:
                return
