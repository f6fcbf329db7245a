"""The process that is copied for each document, as the service holds it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence

from docparser_runtime.documents.process import ParserProcess
from docparser_runtime.parser_child.limits import Limits

# -I: neither the environment nor the current directory decides what is imported.
COMMAND = (sys.executable, "-I", "-m", "docparser_runtime.parser_child")


class ZygoteProcess:
    """A started zygote, its parsers, and the socket on which parsers are asked for.

    It ends by itself when this process does, however that comes.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Start it, which blocks for a few milliseconds.

        Raises:
            OSError: it cannot be started.
        """
        self._ending: asyncio.Task[None] | None = None
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)  # noqa: FBT003 - its only form
        try:
            with theirs:
                # The process group holds its parsers too, for when it can no longer end them.
                self._process = subprocess.Popen(  # noqa: S603 - every part of it is our own
                    command,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env={},
                    start_new_session=True,
                )
        except OSError:
            self._control.close()
            raise

    def parser(self, limits: Limits) -> ParserProcess:
        """Ask for a parser and return it; it is not known yet whether it comes to life.

        Raises:
            OSError: nobody listens, or there are no descriptors left.
        """
        connection, their_connection = socket.socketpair()
        with their_connection:
            try:
                report, their_report = socket.socketpair()
            except OSError:
                connection.close()
                raise
            with their_report:
                process = ParserProcess(connection, report, limits)
                sockets = [their_connection.fileno(), their_report.fileno()]
                try:
                    socket.send_fds(self._control, [limits.dumps().encode()], sockets)
                except OSError:
                    process.close()
                    raise
        return process

    async def end(self) -> None:
        """Kill it and its parsers, and free everything. May be called again."""
        if self._ending is None:
            self._control.close()
            self._ending = asyncio.create_task(asyncio.to_thread(self._kill_and_reap))
        await asyncio.shield(self._ending)

    def _kill_and_reap(self) -> None:
        # Before it is reaped, since that frees the number of the group.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        # The first process of a container inherits the children of others.
        while True:
            try:
                os.waitid(os.P_PGID, self._process.pid, os.WEXITED)
            except ChildProcessError:
                break
