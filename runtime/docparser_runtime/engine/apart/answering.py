"""Reads pages in the engine's process, and tells the service what comes of them."""

import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docparser_runtime.engine.apart import messages
from docparser_runtime.engine.apart.connection import Bytes, Connection, Gone
from docparser_runtime.engine.base import Engine, PageImage
from docparser_runtime.engine.listening import Unwanted
from docparser_runtime.logs import Log

Talk = Connection[messages.FromEngine, messages.ToEngine]


class Audience:
    """The listener of one page, on the other side of the socket."""

    def __init__(self, page_id: int, talk: Talk) -> None:
        self._id = page_id
        self._talk = talk
        self._is_wanted = True

    def is_wanted(self) -> bool:
        """Return whether the service has not said otherwise."""
        return self._is_wanted

    def wrote(self, text: str) -> None:
        """Tell the service."""
        self._say(messages.Wrote(self._id, text))

    def began_anew(self) -> None:
        """Tell the service."""
        self._say(messages.BeganAnew(self._id))

    def leave(self) -> None:
        """Note that nobody waits any more."""
        self._is_wanted = False

    def _say(self, message: messages.OfPage) -> None:
        try:
            self._talk.say(message)
        except Gone:
            self._is_wanted = False


class Reader:
    """Reads pages with `engine`, as many at once as there are threads.

    Args:
        log: told what failed and where.
        on_broken: called when the engine can read nothing any more; ends the process.
    """

    def __init__(
        self, engine: Engine, threads: int, talk: Talk, log: Log, on_broken: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._talk = talk
        self._log = log
        self._on_broken = on_broken
        self._threads = ThreadPoolExecutor(threads, "page")
        self._pages: dict[int, Audience] = {}
        self._checking = threading.Lock()

    def begin(self, page: messages.Page, pixels: Bytes) -> None:
        """Read a page in a thread, and tell the service what comes of it.

        Raises:
            Gone: the pixels are not as many as the page has.
        """
        if pixels.size != 3 * page.width * page.height:
            raise Gone("it sends pages of another size than it says")
        image = PageImage(page.index, pixels.reshape(page.height, page.width, 3), page.dpi)
        self._pages[page.id] = Audience(page.id, self._talk)
        self._threads.submit(self._read, page, image, self._pages[page.id])

    def leave(self, page_id: int) -> None:
        """Note that nobody waits for a page any more."""
        audience = self._pages.get(page_id)
        if audience is not None:
            audience.leave()

    def _read(self, page: messages.Page, image: PageImage, audience: Audience) -> None:
        answer = self._answer(page, image, audience)
        self._pages.pop(page.id, None)
        try:
            self._talk.say(answer)
        except Gone:
            return  # whoever hears the messages of the service ends the process

    def _answer(self, page: messages.Page, image: PageImage, audience: Audience) -> messages.OfPage:
        try:
            return messages.Read(page.id, self._engine.parse(image, page.options, audience))
        except Unwanted:
            return messages.Left(page.id)
        except BaseException as error:  # noqa: BLE001 (whatever it is, the page has failed)
            self._log.exception("page_failed", page=page.index)
            self._check()
            return messages.Failed(page.id, type(error).__qualname__, _place(error))

    def _check(self) -> None:
        """Return if the failure is the page's own: the engine can still read a known one.

        What it cannot any more, such as after a fault of its GPU, a new process can.
        """
        try:
            with self._checking:
                self._engine.warmup()
        except BaseException:  # noqa: BLE001 (whatever it is, nothing can be read)
            self._log.exception("engine_broken")
            self._on_broken()


def _place(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
