from collections.abc import AsyncIterator

import aiohttp
import pytest
from docparser_operator import health
from docparser_operator.metrics import Metrics


class State:
    alive = True
    ready = False


@pytest.fixture
async def served() -> AsyncIterator[tuple[State, Metrics, str]]:
    state, metrics = State(), Metrics()
    app = health.application(metrics.registry, lambda: state.alive, lambda: state.ready)
    runner = await health.serve(app, 0)
    port = next(address[1] for address in runner.addresses if address[0] == "0.0.0.0")
    yield state, metrics, f"http://127.0.0.1:{port}"
    await runner.cleanup()


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.text()


async def test_the_probes_say_what_they_are_asked(served: tuple[State, Metrics, str]) -> None:
    state, _metrics, url = served
    assert (await get(f"{url}/healthz"))[0] == 200
    assert (await get(f"{url}/readyz"))[0] == 503
    state.alive, state.ready = False, True
    assert (await get(f"{url}/healthz"))[0] == 503
    assert (await get(f"{url}/readyz"))[0] == 200


async def test_writes_are_counted_by_verb_and_kind(served: tuple[State, Metrics, str]) -> None:
    _state, metrics, url = served
    metrics.count_write("PATCH", "Service")
    status, text = await get(f"{url}/metrics")
    assert status == 200
    assert 'docparser_operator_api_writes_total{kind="Service",verb="PATCH"} 1.0' in text
