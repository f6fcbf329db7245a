"""The times of one request and those of the pod fit together."""

import asyncio

from docparser_api.runtime import UPLOAD_TIMEOUT_SECONDS, RuntimeConfig, grace_period_seconds
from docparser_runtime import logs
from docparser_runtime.body import STALL_SECONDS
from docparser_runtime.server import Serving, listen
from unit.runtime.doubles import StartService
from unit.runtime.security.doors import open_doors


async def test_what_was_accepted_last_is_finished_before_the_pod_is_killed(
    start: StartService,
) -> None:
    config = RuntimeConfig(lame_duck_seconds=7, queue_timeout_seconds=11)
    service = await start()
    with listen("127.0.0.1", 0) as sock:
        serving = Serving(
            app=service.app,
            lifecycle=service.context.lifecycle,
            load=lambda: asyncio.sleep(0, result=True),
            config=config,
            log=logs.create(service.log, "info"),
            sock=sock,
            doors=open_doors(),
        )
        waits_seconds = serving._uvicorn_config().timeout_graceful_shutdown
    assert waits_seconds is not None
    longest = UPLOAD_TIMEOUT_SECONDS + 11 + config.request_timeout_seconds
    assert waits_seconds > longest
    assert 7 + waits_seconds < grace_period_seconds(config)
    assert STALL_SECONDS < UPLOAD_TIMEOUT_SECONDS
