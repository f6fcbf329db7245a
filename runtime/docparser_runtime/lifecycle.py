"""Whether the pod may get requests: how far the engine is, and whether the pod is leaving."""

import asyncio
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from docparser_runtime.documents.base import DocumentReader
from docparser_runtime.engine.base import Engine, EngineLoadError
from docparser_runtime.engine.health import SelfHealing
from docparser_runtime.errors import DocParserError, NotReady
from docparser_runtime.logs import Log
from docparser_runtime.metrics import Metrics

_RETRY_SECONDS: Final = "5"


class Phase(StrEnum):
    """How far the engine is."""

    LOADING = "loading"
    READY = "ready"
    RESTARTING = "restarting"
    FAILED = "failed"


class Lifecycle:
    """The engine's phase and the pod's farewell.

    Attributes:
        phase: how far the engine is.
        draining: whether the pod has been told to leave. It still serves what comes.
        failure: why the engine could not be loaded, once that is known.
    """

    def __init__(self, metrics: Metrics, log: Log) -> None:
        self.phase = Phase.LOADING
        self.draining = False
        self.failure: str | None = None
        self._metrics = metrics
        self._log = log
        self._on_drain: list[Callable[[], None]] = []

    @property
    def accepts(self) -> bool:
        """Whether new requests should be sent here."""
        return self.phase is Phase.READY and not self.draining

    def reason(self) -> str:
        """Return a word for the present state."""
        return "draining" if self.draining else self.phase.value

    def check_loaded(self) -> None:
        """Return when the engine can read.

        Raises:
            NotReady: it cannot yet, or never will.
        """
        if self.phase is not Phase.READY:
            doing = "being started again" if self.phase is Phase.RESTARTING else "still loading"
            raise NotReady(
                f"The engine is {doing}; try again later.",
                headers={"Retry-After": _RETRY_SECONDS},
            )

    def on_drain(self, call: Callable[[], None]) -> None:
        """Call this as soon as the pod is told to leave."""
        self._on_drain.append(call)

    def drain(self) -> None:
        """Stop asking for requests."""
        self.draining = True
        for call in self._on_drain:
            call()

    async def load(
        self, engine: Engine, reader: DocumentReader, clock: Callable[[], float] = time.monotonic
    ) -> bool:
        """Get both ready while the event loop goes on; return whether they can serve."""
        began = clock()
        try:
            await reader.start()
            await _in_daemon_thread(lambda: _load(engine))
        except (EngineLoadError, DocParserError) as error:
            self._log.error("engine_load_failed", reason=str(error))
            return self.fail(error)
        except Exception as error:  # noqa: BLE001 (whatever it is, it cannot serve)
            # No document has been seen yet, so the message may be shown.
            self._log.exception("engine_load_failed", reason=str(error))
            return self.fail(error)
        self.phase = Phase.READY
        self._metrics.ready.set(1)
        if isinstance(engine, SelfHealing):
            engine.on_health(self._heard)
        self._metrics.load_seconds.set(clock() - began)
        self._log.info("engine_ready", engine=engine.name, seconds=round(clock() - began, 3))
        return True

    def _heard(self, ills: str | None) -> None:
        """Note whether an engine that has been ready can read at the moment."""
        if ills is None and self.phase is Phase.RESTARTING:
            self.phase = Phase.READY
            self._log.info("engine_restarted")
        elif ills is not None and self.phase in {Phase.READY, Phase.RESTARTING}:
            self.phase = Phase.RESTARTING
            self._metrics.engine_deaths.inc()
            self._log.error("engine_lost", reason=ills)
        self._metrics.ready.set(self.phase is Phase.READY)

    def fail(self, error: Exception) -> bool:
        """Note that nothing will ever be served, and why; return False."""
        self.phase = Phase.FAILED
        self.failure = str(error) or type(error).__name__
        return False


def _load(engine: Engine) -> None:
    engine.load()
    engine.warmup()


async def _in_daemon_thread(work: Callable[[], None]) -> None:
    """Run `work` in a thread that cannot keep the process from leaving."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (it belongs to whoever waits)
            failures.append(error)
        if not loop.is_closed():
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=run, name="load", daemon=True).start()
    await ended.wait()
    for failure in failures:
        raise failure if isinstance(failure, Exception) else RuntimeError(repr(failure))
