import io

import pytest
from docparser_runtime import logs
from docparser_runtime.tasks.persistence import persistently


@pytest.mark.looptime
async def test_a_loop_that_fails_begins_anew_and_says_so() -> None:
    begun: list[int] = []

    async def work() -> None:
        begun.append(1)
        if len(begun) < 3:
            raise ValueError("canary")

    stream = io.StringIO()
    await persistently(work, "upkeep", logs.create(stream, "info"))
    assert len(begun) == 3
    assert stream.getvalue().count("loop_failed") == 2
    assert "canary" not in stream.getvalue()
