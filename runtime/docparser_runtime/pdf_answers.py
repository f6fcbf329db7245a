"""Answers with a PDF that was made for one client."""

from collections.abc import AsyncIterator, Coroutine
from contextlib import ExitStack
from typing import Any, Final

from fastapi.responses import Response, StreamingResponse
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from docparser_runtime.body import MemoryBudget
from docparser_runtime.disconnect import unless_gone
from docparser_runtime.searchable import MEDIA_TYPE

_PIECE_BYTES: Final = 1 << 16


async def pdf_answer(
    request: Request, budget: MemoryBudget, making: Coroutine[Any, Any, bytes]
) -> Response:
    """Return the answer with what `making` returns; it takes of `budget` until it is sent.

    Raises:
        QueueFull: it takes too much memory.
        ClientGone: the client left.
        DocParserError: what `making` raises.
    """
    with ExitStack() as stack:
        lease = stack.enter_context(budget.lease())
        content = await unless_gone(request, making)
        lease.take(len(content))
        return _Held(content, stack.pop_all())


class _Held(StreamingResponse):
    """Sends its content as fast as the client takes it, then gives back what it holds."""

    def __init__(self, content: bytes, held: ExitStack) -> None:
        length = {"Content-Length": str(len(content))}
        super().__init__(_pieces(content), headers=length, media_type=MEDIA_TYPE)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with self._held:
            await super().__call__(scope, receive, send)


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), _PIECE_BYTES):
        yield content[start : start + _PIECE_BYTES]
