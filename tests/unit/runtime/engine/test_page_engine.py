"""Pages are read in threads, and whoever waits for them may leave."""

import asyncio
import gc
import io
from typing import Any

import numpy as np
from docparser_runtime import logs
from docparser_runtime.engine.base import PageImage, ParseOptions
from docparser_runtime.metrics import Metrics
from docparser_runtime.page_engine import PageEngine
from prometheus_client import CollectorRegistry
from unit.runtime.doubles import ScriptedEngine, eventually

IMAGE = PageImage(0, np.zeros((1, 1, 3), np.uint8))
OPTIONS = ParseOptions(max_new_tokens=1)


async def test_a_page_that_nobody_wants_any_more_leaves_no_lost_failure() -> None:
    lost = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, told: lost.append(told))
    engine = ScriptedEngine()
    engine.hold()
    pages = PageEngine(engine, 1, Metrics(CollectorRegistry()), logs.create(io.StringIO(), "info"))
    read = asyncio.create_task(pages.read(IMAGE, OPTIONS))
    await eventually(lambda: engine.running == 1)
    waits = asyncio.create_task(pages.read(IMAGE, OPTIONS))
    await asyncio.sleep(0)
    waits.cancel()
    await asyncio.sleep(0)
    engine.release()
    await asyncio.wait({waits})
    assert waits.cancelled()
    assert (await read).index == 0
    del waits
    await asyncio.sleep(0)  # the loop lets go of it
    gc.collect()
    assert lost == []
    pages.close()
