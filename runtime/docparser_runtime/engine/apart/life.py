"""One life of an engine's process, from its start to its end."""

from collections.abc import Callable, Sequence
from typing import Protocol

from docparser_runtime.engine.apart.connection import Gone
from docparser_runtime.engine.apart.messages import Beat, Load, Loaded, LoadFailed
from docparser_runtime.engine.apart.pages import Pages
from docparser_runtime.engine.apart.patience import Patience
from docparser_runtime.engine.apart.process import Talk
from docparser_runtime.engine.base import DeviceUse


class Running(Protocol):
    """A process that runs: see `Process`."""

    talk: Talk

    def end(self) -> str:
        """Kill it if it still runs, and return how it ended."""
        ...


class Life:
    """Loads the engine in `process`, and passes on what it says.

    Args:
        on_ready: called once it has loaded.

    Attributes:
        load_failure: why the engine could not be loaded, if it said so.
    """

    def __init__(self, process: Running, pages: Pages, on_ready: Callable[[], None]) -> None:
        self.load_failure: str | None = None
        self._beat = Beat()
        self._process = process
        self._pages = pages
        self._on_ready = on_ready

    @property
    def devices(self) -> Sequence[DeviceUse]:
        """What the engine takes of which devices, as it told last."""
        return self._beat.devices

    def live(self, load: Load, patience: Patience) -> str:
        """Return why it is over; pages in hand have not been told yet."""
        talk = self._process.talk
        talk.give_up_after(patience.loading_silence)
        try:
            talk.say(load)
            while self.load_failure is None:
                message, _ = talk.hear()
                match message:
                    case Beat():
                        self._beat = message
                    case LoadFailed():
                        self.load_failure = message.reason
                    case Loaded():
                        talk.give_up_after(patience.silence)
                        self._on_ready()
                    case _:
                        self._pages.hear(message)
        except Gone as gone:
            return f"the engine's process has ended: {gone}"
        return self.load_failure
