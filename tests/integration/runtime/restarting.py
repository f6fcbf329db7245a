"""Services that can be killed and started again, and documents for them."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from docparser_api.names import ENV_DATA, ENV_TOKEN
from integration.runtime.processes import Program, environment, serving
from integration.runtime.tasks.client import blank_pdf

SLOW = {"pageMilliseconds": 200}
SLOW_LIMITS: dict[str, Any] = {"fake": SLOW, "maxConcurrency": 1, "tasks": {"leaseSeconds": 2}}


def document(pages: int, name: str = "") -> bytes:
    """Return a document that is like no other of another name."""
    return blank_pdf(pages) + f"\n%{name}\n".encode()


def tree(root: Path, pages: int, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(document(pages, name))
    return root


class Restartable:
    """A service that can be killed and started again at the same address, with the same tasks."""

    def __init__(self, stack: AsyncExitStack, environ: dict[str, str]) -> None:
        self._stack = stack
        self._environ = environ
        self._port = 0
        self.program: Program

    async def start(self) -> None:
        self.program = await self._stack.enter_async_context(
            serving(self._environ, port=self._port)
        )
        self._port = int(self.url.rpartition(":")[2])

    async def kill(self) -> None:
        self.program.signal(signal.SIGKILL)
        assert await self.program.exit_code() == -signal.SIGKILL

    @property
    def url(self) -> str:
        return self.program.url


Start = Callable[..., Awaitable[Restartable]]


@asynccontextmanager
async def services(data: Path) -> AsyncIterator[Start]:
    """Yield a function that starts a service; its arguments are fields of the configuration."""
    async with AsyncExitStack() as stack:

        async def started(
            *, tasks_kept: bool = True, token: str = "", **limits: Any
        ) -> Restartable:
            environ = environment(**limits)
            environ |= {ENV_DATA: str(data)} if tasks_kept else {}
            environ |= {ENV_TOKEN: token} if token else {}
            service = Restartable(stack, environ)
            await service.start()
            return service

        yield started
