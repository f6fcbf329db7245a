"""An engine that falls ill while it serves, as probes, clients and tasks see it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from docparser_api import names
from docparser_api.runtime import FakeConfig, ModelSpec, RuntimeConfig
from docparser_runtime.engine.apart.engine import ApartEngine
from docparser_runtime.engine.apart.failures import EngineLost
from docparser_runtime.engine.apart.messages import Load
from docparser_runtime.engine.apart.patience import Patience
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from docparser_runtime.engine.health import Hears
from docparser_runtime.engine.registry import create_here
from docparser_runtime.engine.tiers import ALL_TIERS
from docparser_runtime.engine.traits import Traits
from unit.runtime.doubles import (
    PARSE,
    ScriptedEngine,
    Service,
    StartService,
    a_document,
    eventually,
)
from unit.runtime.tasks.conftest import ended, submit

RULES = {"lease_seconds": 2, "max_crashes": 2}


@dataclass
class Healing(ScriptedEngine):
    """Tells of its health when it is told to."""

    tell_health: Hears = lambda _: None
    ills: str | None = None

    def on_health(self, call: Hears) -> None:
        self.tell_health = call
        call(self.ills)


@pytest.fixture
def engine() -> Healing:
    return Healing()


async def readiness(service: Service) -> tuple[int, str]:
    answer = await service.client.get(names.PATH_READY)
    return answer.status_code, answer.json()["reason"]


async def post(service: Service) -> tuple[int, str | None]:
    answer = await service.client.post(PARSE, files={"file": ("a", a_document())})
    return answer.status_code, answer.headers.get("retry-after")


async def test_who_is_ill_is_not_ready_until_it_is_well(service: Service, engine: Healing) -> None:
    assert await readiness(service) == (200, "ready")
    engine.tell_health("its process was killed")
    engine.tell_health("weights_invalid: gone")
    assert await readiness(service) == (503, "restarting")
    assert await post(service) == (503, "5")
    assert await service.metric("docparser_engine_ready") == 0
    engine.tell_health(None)
    assert await readiness(service) == (200, "ready")
    assert (await post(service))[0] == 200
    assert await service.metric("docparser_engine_ready") == 1
    assert await service.metric("docparser_engine_deaths_total") == 2
    reasons = [line["reason"] for line in service.log_lines("engine_lost")]
    assert reasons == ["its process was killed", "weights_invalid: gone"]
    assert len(service.log_lines("engine_restarted")) == 1


async def test_who_fell_ill_while_the_pod_got_ready_is_not_ready(
    start: StartService, engine: Healing
) -> None:
    engine.ills = "its process was killed"
    service = await start()
    assert await readiness(service) == (503, "restarting")


async def test_a_page_in_hand_is_answered_with_503(service: Service, engine: Healing) -> None:
    engine.read = Losing(times=1)
    assert await post(service) == (503, "5")
    assert (await post(service))[0] == 200


@dataclass
class Losing:
    """Dies over the first so many pages."""

    times: int
    pages: list[int] = field(default_factory=list)

    def __call__(self, page: PageImage, options: ParseOptions) -> PageResult:
        self.pages.append(page.index)
        if len(self.pages) <= self.times:
            raise EngineLost(page.index)
        return PageResult(f"{page.index}, {options.max_new_tokens}")


class Apart(ApartEngine):
    """The fake engine, in a process that crashes after two pages."""

    def __init__(self) -> None:
        config = RuntimeConfig(fake=FakeConfig(crash_after_pages=2))
        factory = f"{create_here.__module__}:{create_here.__name__}"
        load = Load(factory, ModelSpec(engine="fake"), config, None)
        super().__init__(load, Traits(tiers=ALL_TIERS), Patience(first_pause=0.5))

    def release(self) -> None: ...


@pytest.mark.thorough  # starts processes
class TestApart:
    @pytest.fixture
    def engine(self) -> Iterator[Apart]:
        engine = Apart()
        yield engine
        engine.close()

    async def test_a_real_death_is_seen_and_mended(self, service: Service) -> None:
        assert [(await post(service))[0] for _ in range(2)] == [200, 200]
        assert await post(service) == (503, "5")
        assert await readiness(service) == (503, "restarting")
        assert await post(service) == (503, "5")

        async def is_ready() -> bool:
            return await readiness(service) == (200, "ready")

        await eventually(is_ready)
        assert (await post(service))[0] == 200
        assert await service.metric("docparser_engine_deaths_total") == 1


@pytest.mark.thorough  # leases have to end
@pytest.mark.parametrize(("times", "state"), [(1, "done"), (2, "failed")])
async def test_a_task_is_read_again_after_the_engine_died_but_not_for_ever(
    start: StartService, engine: Healing, tmp_path: Path, times: int, state: str
) -> None:
    service = await start(directory=tmp_path, tasks=RULES)
    engine.read = Losing(times)
    task = await ended(service, await submit(service))
    assert (task["status"], len(engine.read.pages)) == (state, 2)
    if state == "failed":
        assert task["error"]["code"] == "poison"
