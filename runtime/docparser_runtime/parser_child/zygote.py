"""The process of which every parser is a copy: all is loaded, and no document was ever seen.

To copy it takes a few milliseconds, where a new interpreter takes some hundred. The
copies share its address layout; that helps nobody, since each holds one document only
and can do nothing but draw it.
"""

import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from docparser_runtime.parser_child.limits import Limits

REPORT = struct.Struct(">iQ")
"""How a parser ended: its exit code, negative for a signal, and the bytes it had grown by."""

_LONGEST_REQUEST = 4096

Serve = Callable[[socket.socket, Limits], NoReturn]
"""What a parser does with its socket."""


class TooManyThreads(Exception):  # noqa: N818 - the name says it
    """A copy would miss the other threads, and what they had locked would stay so."""


@dataclass(frozen=True)
class _Request:
    """A parser that is asked for: its limits, its socket, and where to report its end."""

    limits: Limits
    connection: int
    report: int


class Zygote:
    """Copies this process on request.

    A request is a packet on `control` with the limits as JSON and two sockets: one for the
    parser, one for the report of its end. Hanging up the latter kills the parser, hanging
    up `control` all of them.
    """

    def __init__(self, control: socket.socket, serve: Serve) -> None:
        self._control = control
        self._serve = serve
        # Libraries keep some open, such as the source of random numbers.
        self._inherited = _descriptors() - {control.fileno()}
        self._reports: dict[int, int] = {}
        """Of each parser that is not reaped, by its process id."""
        self._killable: dict[int, int] = {}
        """Process ids by report, of those that nobody has hung up."""
        self._idle_bytes = _resident_bytes()
        self._deaths, wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup)
        self._poll = select.poll()
        for descriptor in (control.fileno(), self._deaths):
            self._poll.register(descriptor, select.POLLIN)

    def run(self) -> None:
        """Copy and report until the service hangs up; then kill what is left.

        Raises:
            TooManyThreads: this process cannot be copied.
        """
        threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - names are counted only
        if threads > 1:
            raise TooManyThreads
        while True:
            ready = {descriptor for descriptor, _ in self._poll.poll()}
            # Hang-ups first: below, a descriptor may be closed and its number used anew.
            for report in ready & self._killable.keys():
                self._kill(report)
            if self._deaths in ready:
                self._report_deaths()
            if self._control.fileno() in ready:
                request = self._request()
                if request is None:
                    break
                self._fork(request)
        for report in [*self._killable]:
            self._kill(report)

    def _request(self) -> _Request | None:
        """Return the next request, or None when the service is gone."""
        text, descriptors, _, _ = socket.recv_fds(self._control, _LONGEST_REQUEST, 2)
        return _Request(Limits.loads(text.decode()), *descriptors) if text else None

    def _fork(self, request: _Request) -> None:
        try:
            process_id = os.fork()
        except OSError:
            self._report(request.report, 1, 0)
        else:
            if process_id == 0:
                self._become_parser(request)
            self._reports[process_id] = request.report
            self._killable[request.report] = process_id
            self._poll.register(request.report, select.POLLIN)
        os.close(request.connection)

    def _become_parser(self, request: _Request) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # Whatever a library prints from here on could quote the document.
            os.dup2(0, 2)
            for descriptor in _descriptors() - self._inherited - {request.connection}:
                os.close(descriptor)
            self._serve(socket.socket(fileno=request.connection), request.limits)
        finally:
            os._exit(1)

    def _kill(self, report: int) -> None:
        self._poll.unregister(report)
        os.kill(self._killable.pop(report), signal.SIGKILL)

    def _report_deaths(self) -> None:
        os.read(self._deaths, _LONGEST_REQUEST)
        while self._reports:
            process_id, status, usage = os.wait4(-1, os.WNOHANG)
            if process_id == 0:
                break
            report = self._reports.pop(process_id)
            if self._killable.pop(report, None) is not None:
                self._poll.unregister(report)
            grown_bytes = max(0, usage.ru_maxrss * 1024 - self._idle_bytes)
            self._report(report, os.waitstatus_to_exitcode(status), grown_bytes)

    def _report(self, report: int, exit_code: int, grown_bytes: int) -> None:
        # Who has closed the other side does not want to know.
        with suppress(BrokenPipeError):
            os.write(report, REPORT.pack(exit_code, grown_bytes))
        os.close(report)


def _descriptors() -> set[int]:
    """Return the open descriptors of this process."""
    names = os.listdir("/proc/self/fd")  # noqa: PTH208 - numbers are wanted, not paths
    return {descriptor for descriptor in map(int, names) if _is_open(descriptor)}


def _is_open(descriptor: int) -> bool:
    # The one that listed the others is listed too, and gone.
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
