"""What happens to a task, as server-sent events."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from sse_starlette.event import ServerSentEvent

from docparser_runtime import answers, sse
from docparser_runtime.drafts import Delta
from docparser_runtime.tasks.desk import Ended, Happening, PageRead, raise_unless_done


async def of_task(
    happening: AsyncGenerator[Happening, None], is_leaving: Callable[[], bool]
) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield what clients are told; the id of a page is its place in the order of reading.

    A process that is leaving ends early: clients then ask another one, and miss nothing.

    Raises:
        DocParserError: how the task ended, unless it was read.
    """
    async with aclosing(happening):
        async for one in happening:
            match one:
                case PageRead():
                    yield sse.event(sse.PAGE, one.page, str(one.number))
                case Delta():
                    yield sse.event(sse.DELTA, answers.delta_body(one))
                case Ended():
                    raise_unless_done(one.job)
                    yield sse.event(sse.DONE, json.dumps((one.job.result or {})["summary"]))
                case None:
                    if is_leaving():
                        return
                case _:
                    yield sse.event(sse.STATUS, one)
