"""Workers count how attempts at tasks ended: they answer no request by which to judge them."""

from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from unit.runtime.doubles import Service
from unit.runtime.tasks.conftest import ended, submit


def counted(service: Service) -> dict[str, float | None]:
    registry = service.context.metrics.registry
    name = "docparser_task_duration_seconds_count"
    return {s: registry.get_sample_value(name, {"status": s}) for s in ("200", "422", "500")}


def broken(_page: PageImage, _options: ParseOptions) -> PageResult:
    raise ValueError("it is broken")


async def test_a_task_that_was_read_counts_as_answered(keeper: Service) -> None:
    assert (await ended(keeper, await submit(keeper)))["status"] == "done"
    assert counted(keeper) == {"200": 1, "422": None, "500": None}


async def test_a_task_whose_engine_fails_counts_as_a_server_error(keeper: Service) -> None:
    keeper.engine.read = broken
    assert (await ended(keeper, await submit(keeper)))["status"] == "failed"
    assert counted(keeper) == {"200": None, "422": None, "500": 1}
