"""Pictures of the pages of tasks."""

import io
from base64 import b64encode

import pytest
from docparser_api.names import PATH_TASKS
from PIL import Image
from unit.runtime.doubles import Service, StartService, a_document
from unit.runtime.tasks.conftest import submit


async def picture(service: Service, task: str, index: str) -> tuple[int, str]:
    """Return status and code, or size, of the answer."""
    answer = await service.client.get(f"{PATH_TASKS}/{task}/pages/{index}/image")
    if answer.status_code != 200:
        return answer.status_code, answer.json()["code"]
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["cache-control"] == "no-store"
    with Image.open(io.BytesIO(answer.content)) as image:
        return 200, f"{image.format} {image.width}x{image.height}"


async def test_each_page_has_a_picture_before_it_is_read(keeper: Service) -> None:
    keeper.engine.hold()
    task = await submit(keeper, a_document(pages=3))
    # The double's page `n` is `30 + n` pixels wide.
    assert [await picture(keeper, task["id"], str(n)) for n in range(4)] == [
        (200, "JPEG 30x20"),
        (200, "JPEG 31x20"),
        (200, "JPEG 32x20"),
        (404, "page_not_found"),
    ]
    keeper.engine.release()


@pytest.mark.parametrize("index", ["-1", "x", "1.5", "99999999999"])
async def test_what_is_no_index(keeper: Service, index: str) -> None:
    task = await submit(keeper)
    assert await picture(keeper, task["id"], index) == (400, "invalid_request")


async def test_there_is_no_picture_of_an_unknown_task(keeper: Service) -> None:
    assert await picture(keeper, "nothing", "0") == (404, "task_not_found")


async def test_without_tasks_there_are_no_pictures(start: StartService) -> None:
    service = await start()
    assert await picture(service, "nothing", "0") == (404, "tasks_disabled")


async def test_a_page_that_was_sent_as_a_picture_of_its_own(keeper: Service) -> None:
    pages = [b64encode(a_document()).decode() for _ in range(3)]
    task = (await keeper.client.post(PATH_TASKS, json={"pages": pages})).json()
    opened = keeper.reader.opened
    assert await picture(keeper, task["id"], "2") == (200, "JPEG 30x20")
    assert keeper.reader.opened <= opened + 1 + 3  # the worker opens all of them, too
