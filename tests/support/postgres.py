"""A real PostgreSQL on loopback, in a directory of its own, that tests may stop and start."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.eventually import eventually

_ROOT = 0
_UNPRIVILEGED = "nobody"
"""Who runs the server when we are root: PostgreSQL refuses to be."""
_PACKAGE = "postgresql"
_CONFIGURATION = """
fsync = on
synchronous_commit = on
listen_addresses = '127.0.0.1'
max_connections = 100
shared_buffers = 64MB
logging_collector = off
"""


def binaries() -> Path:
    """Return the directory of the server's programs; install the package when root may."""
    found = _found()
    if found is None and os.geteuid() == _ROOT and shutil.which("apt-get"):
        print(f"installing the Debian package {_PACKAGE} for the tests of the queue")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", _PACKAGE]
        for command in (["apt-get", "update", "-qq"], install):
            subprocess.run(command, check=True, env=environment, stdin=subprocess.DEVNULL)
        found = _found()
    assert found is not None, f"please install the Debian package {_PACKAGE}"
    return found


def _found() -> Path | None:
    on_path = shutil.which("postgres")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    program = places[-1] if places else on_path and Path(on_path)
    return program.parent if program else None


class PostgresServer:
    """One server process; `start` and `stop` keep its data."""

    def __init__(self, directory: Path) -> None:
        self._binaries = binaries()
        self._home = directory
        self._data = directory / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._user = _UNPRIVILEGED if os.geteuid() == _ROOT else None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        if self._user:
            shutil.chown(directory, self._user)
        self._run("initdb", "-D", str(self._data), "-U", "docparser", "-A", "trust", "-N")
        with (self._data / "postgresql.conf").open("a") as configuration:
            configuration.write(_CONFIGURATION)
            configuration.write(f"port = {self.port}\nunix_socket_directories = '{directory}'\n")

    def url(self, database: str = "postgres") -> str:
        """Return the address of a database, as users write it."""
        return f"postgresql://docparser@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        log = (self._home / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._data],
                user=self._user,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
            )
        eventually(self._answers, bool, 30, "PostgreSQL answers")

    def stop(self) -> None:
        """Stop the server at once, connections or not; what was committed stays."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def restart(self) -> None:
        """Stop and start."""
        self.stop()
        self.start()

    def new_database(self, name: str) -> str:
        """Make an empty database and return its address."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "docparser", name)
        return self.url(name)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._home / "log").read_text()
        ready = subprocess.run(
            [self._binaries / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
            check=False,
        )
        return ready.returncode == 0

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._binaries / program, *arguments],
            user=self._user,
            check=False,
            capture_output=True,
            text=True,
            cwd="/",
        )
        assert done.returncode == 0, done.stderr


@contextmanager
def running_postgres(directory: Path) -> Iterator[PostgresServer]:
    """Yield a server that has been started, and stop it at the end."""
    server = PostgresServer(directory)
    server.start()
    try:
        yield server
    finally:
        server.stop()
