"""How many pages wait, for the cluster."""

from pathlib import Path

import pytest
from docparser_api import names
from unit.runtime.doubles import Service, StartService


async def test_the_cluster_is_told_how_many_pages_wait(start: StartService, tmp_path: Path) -> None:
    service = await start(token="s3cr3t", directory=tmp_path)
    answer = await service.client.get(names.PATH_QUEUE, params={"above": 0, "wait": 0.01})
    assert (answer.status_code, answer.json()) == (200, {"queued_pages": 0})


@pytest.mark.parametrize("query", ["above=-1", "wait=31", "wait=nan", "above=x", "pages=1"])
async def test_a_question_about_waiting_pages_that_makes_no_sense(
    start: StartService, tmp_path: Path, query: str
) -> None:
    service = await start(directory=tmp_path)
    answer = await service.client.get(f"{names.PATH_QUEUE}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_a_service_without_tasks_has_no_pages_that_wait(service: Service) -> None:
    answer = await service.client.get(names.PATH_QUEUE)
    assert answer.json()["code"] == "tasks_disabled"
