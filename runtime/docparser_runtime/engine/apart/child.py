"""The engine's process: reads pages for the service that started it, until that hangs up.

Run as a module; the socket to the service is its standard input.
"""

import ctypes
import importlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from docparser_runtime import logs
from docparser_runtime.engine.apart import messages
from docparser_runtime.engine.apart.answering import Reader, Talk
from docparser_runtime.engine.apart.connection import Connection, Gone
from docparser_runtime.engine.base import Engine, EngineLoadError

BEAT_SECONDS: Final = 1.0
"""From one sign of life to the next."""
EXIT_BROKEN: Final = 70
"""What the process returns when its engine can read no page any more."""
_SET_PARENT_DEATH_SIGNAL: Final = 1


class EngineProcess:
    """What the service speaks to.

    Args:
        log: told what failed and where.
        leave: ends the process with this code.
        beat_seconds: from one sign of life to the next.
    """

    def __init__(
        self,
        talk: Talk,
        log: logs.Log,
        leave: Callable[[int], None],
        beat_seconds: float = BEAT_SECONDS,
    ) -> None:
        self._talk = talk
        self._log = log
        self._leave = leave
        self._beat_seconds = beat_seconds
        self._reader: Reader | None = None
        self._engine: Engine | None = None

    def serve(self) -> None:
        """Do what the service says.

        Raises:
            Gone: it has hung up.
        """
        threading.Thread(target=self._beat, name="beat", daemon=True).start()
        while True:
            message, pixels = self._talk.hear()
            match message:
                case messages.Load():
                    # In a thread, so that the end of the service is heard meanwhile.
                    threading.Thread(target=self._load, args=(message,), daemon=True).start()
                case messages.Page() if self._reader is not None:
                    self._reader.begin(message, pixels)
                case messages.Unwanted() if self._reader is not None:
                    self._reader.leave(message.id)
                case _:
                    raise Gone("it does not wait until the engine has loaded")

    def _load(self, load: messages.Load) -> None:
        try:
            engine = built(load)
            engine.load()
            engine.warmup()
        except EngineLoadError as error:
            self._say(messages.LoadFailed(str(error)))
        except BaseException as error:  # noqa: BLE001 (whatever it is, it cannot serve)
            self._say(messages.LoadFailed(f"{type(error).__name__}: {error}"))
        else:
            self._engine = engine
            threads = load.config.max_concurrency
            self._reader = Reader(engine, threads, self._talk, self._log, self._broken)
            self._say(messages.Loaded())

    def _beat(self) -> None:
        while True:
            try:
                devices = () if self._engine is None else tuple(self._engine.devices())
            except BaseException:  # noqa: BLE001 (no engine that works raises)
                self._log.exception("engine_broken")
                return self._broken()
            try:
                self._talk.say(messages.Beat(devices))
            except Gone:
                return None
            time.sleep(self._beat_seconds)

    def _say(self, message: messages.FromEngine) -> None:
        # Whoever hears the service hears that it has hung up.
        with suppress(Gone):
            self._talk.say(message)

    def _broken(self) -> None:
        self._leave(EXIT_BROKEN)


def built(load: messages.Load) -> Engine:
    """Return the engine that is asked for, not yet loaded.

    Raises:
        EngineLoadError: it cannot be built here.
    """
    module, _, function = load.factory.partition(":")
    factory = getattr(importlib.import_module(module), function)
    weights = None if load.weights is None else Path(load.weights)
    engine: Engine = factory(load.model, load.config, weights)
    return engine


def main() -> None:
    """Serve whoever holds the other end of standard input."""
    # A stopped process does not hear that the service has hung up, but is killed nevertheless.
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    log = logs.create(sys.stderr, "warning")
    logs.route_libraries(sys.stderr, "warning")
    # Else the message would be shown too.
    threading.excepthook = lambda thread: log.error("thread_failed", exc_info=thread.exc_value)
    with socket.socket(fileno=os.dup(0)) as sock:
        talk: Talk = Connection(sock, messages.FROM_ENGINE, messages.TO_ENGINE)
        try:
            EngineProcess(talk, log, os._exit).serve()
        except Gone:
            # Threads that read cannot be waited for.
            os._exit(0)


if __name__ == "__main__":
    main()
