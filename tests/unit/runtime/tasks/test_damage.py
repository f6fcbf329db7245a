"""Objects of the store that are damaged or gone: what can be had again is made again."""

from pathlib import Path

from docparser_api.names import PATH_TASKS
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from unit.runtime.doubles import Service, StartService, a_document, eventually
from unit.runtime.tasks.conftest import ended, submit


def objects(service: Service, pattern: str) -> list[Path]:
    """Return the objects whose names match."""
    assert service.directory is not None
    return list((service.directory / "objects").glob(pattern))


def damage(service: Service, pattern: str) -> None:
    """Overwrite objects; there must be some."""
    found = objects(service, pattern)
    assert found
    for one in found:
        one.write_bytes(b"something else")


async def test_a_stored_document_that_is_damaged_fails_its_task(keeper: Service) -> None:
    keeper.engine.hold()
    first = await submit(keeper, a_document(1))
    second = await submit(keeper, a_document(1))
    third = await submit(keeper, a_document(2))
    await eventually(lambda: keeper.engine.running == 2)
    damage(keeper, f"{third['id']}/upload/0")
    keeper.engine.release()
    assert [(await ended(keeper, task))["status"] for task in (first, second)] == ["done"] * 2
    task = await ended(keeper, third)
    assert (task["status"], task["error"]["code"]) == ("failed", "upload_lost")


async def test_a_damaged_page_is_told_to_who_follows_and_read_again(keeper: Service) -> None:
    task = await submit(keeper, a_document(2))
    await ended(keeper, task)
    damage(keeper, f"{task['id']}/pages/*")
    told = await keeper.client.get(f"{PATH_TASKS}/{task['id']}/events")
    assert "event: error" in told.text
    assert '"result_corrupt"' in told.text
    assert (await ended(keeper, task))["status"] == "done"
    again = await keeper.client.get(f"{PATH_TASKS}/{task['id']}/events")
    assert again.text.count("event: page") == 2


async def test_pages_that_are_damaged_before_the_end_are_read_again(
    start: StartService, tmp_path: Path
) -> None:
    service = await start(directory=tmp_path, max_concurrency=1)
    read, seen = service.engine.read, list[int]()

    def hold_before_the_last(page: PageImage, options: ParseOptions) -> PageResult:
        seen.append(page.index)
        if seen == [0, 1, 2]:
            service.engine.hold()
        return read(page, options)

    service.engine.read = hold_before_the_last
    task = await submit(service, a_document(4))
    await eventually(lambda: len(objects(service, f"{task['id']}/pages/*")) > 0)
    damage(service, f"{task['id']}/pages/*")
    service.engine.release()
    task = await ended(service, task)
    assert (task["status"], task["pages_done"]) == ("done", 4)
    assert seen == [0, 1, 2, 3] * 2
    assert [line["code"] for line in service.log_lines("task_put_off")] == ["result_corrupt"]
