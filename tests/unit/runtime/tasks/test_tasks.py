"""What clients can do with tasks, and what they are told when they cannot."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest
from docparser_api.names import PATH_TASKS
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from docparser_runtime.task_schemas import TaskOptions
from docparser_runtime.tasks import door
from docparser_runtime.tasks.door import Submission
from unit.runtime.doubles import PARSE, Service, StartService, a_document, eventually
from unit.runtime.security.doors import KEYS, entry, tokens_file
from unit.runtime.tasks.conftest import ended, submit


async def test_a_task_answers_what_parse_would_have(keeper: Service) -> None:
    document = a_document(3, repaired=True)
    task = await submit(keeper, document)
    assert task["pages"] == 3
    assert task["error"] is None
    done = await ended(keeper, task)
    assert (done["status"], done["pages_done"], done["queue_position"]) == ("done", 3, None)
    assert done["created_at"] <= done["started_at"] <= done["finished_at"] < done["expires_at"]
    for form in ("application/json", "text/markdown", "text/plain", "text/html"):
        accept = {"Accept": form}
        expected = await keeper.client.post(
            PARSE, files={"file": ("a.pdf", document)}, headers=accept
        )
        found = await keeper.client.get(f"{PATH_TASKS}/{task['id']}/result", headers=accept)
        assert found.headers["content-type"].startswith(form)
        if form == "application/json":
            own = {"request_id", "timings", "pages"}
            assert {k: v for k, v in found.json().items() if k not in own} == {
                k: v for k, v in expected.json().items() if k not in own
            }
            assert [page | {"seconds": 0} for page in found.json()["pages"]] == [
                page | {"seconds": 0} for page in expected.json()["pages"]
            ]
        else:
            assert found.text == expected.text


async def test_options_reach_the_result(keeper: Service) -> None:
    task = await submit(keeper, a_document(9), page_range="8-,2", priority="high")
    assert (task["pages"], task["priority"]) == (3, "high")
    await ended(keeper, task)
    result = (await keeper.client.get(f"{PATH_TASKS}/{task['id']}/result")).json()
    assert [page["index"] for page in result["pages"]] == [1, 7, 8]


async def test_the_same_request_again_is_the_same_task(keeper: Service) -> None:
    key = {"Idempotency-Key": "one"}
    tasks = await asyncio.gather(*(submit(keeper, headers=key) for _ in range(20)))
    assert len({task["id"] for task in tasks}) == 1
    assert (await submit(keeper))["id"] != tasks[0]["id"]
    answer = await keeper.client.post(PATH_TASKS, files={"file": ("a", a_document(2))}, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    objects = {path.name for path in _objects(keeper)}
    listed = (await keeper.client.get(PATH_TASKS)).json()["tasks"]
    assert objects == {task["id"] for task in listed}, "uploads of repetitions are gone"


def test_options_that_later_releases_add_do_not_change_what_a_request_is() -> None:
    plain = Submission("tenant", (b"document",), TaskOptions(), None)
    document = hashlib.sha256(b"document").hexdigest()
    assert door._digest(plain) == hashlib.sha256(f"{document}\n{{}}".encode()).hexdigest()


@pytest.mark.parametrize("key", ["", "a b", "ä", "x" * 256])
async def test_keys_that_no_client_means(keeper: Service, key: str) -> None:
    answer = await keeper.client.post(
        PATH_TASKS,
        files={"file": ("a", a_document())},
        headers={b"Idempotency-Key": key.encode()},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_tasks_of_others_are_as_if_they_were_not(start: StartService, tmp_path: Path) -> None:
    file = tokens_file(tmp_path, entry("one"), entry("two"))
    service = await start(directory=tmp_path, tokens=file)
    one, two = ({"Authorization": f"Bearer {KEYS[name]}"} for name in ("one", "two"))
    task = await submit(service, headers=one)
    for method, rest in (("GET", ""), ("GET", "/result"), ("GET", "/events"), ("DELETE", "")):
        answers = [
            await service.client.request(method, f"{PATH_TASKS}/{name}{rest}", headers=two)
            for name in (task["id"], "0" * len(task["id"]))
        ]
        bodies = [answer.json() | {"request_id": ""} for answer in answers]
        assert bodies[0] == bodies[1]
        assert (answers[0].status_code, bodies[0]["code"]) == (404, "task_not_found")
    assert (await service.client.get(PATH_TASKS, headers=two)).json()["tasks"] == []
    assert len((await service.client.get(PATH_TASKS, headers=one)).json()["tasks"]) == 1


@pytest.mark.parametrize("name", ["%00", "1", "%F0%9F%98%80", "A" * 32, "0" * 31 + "%0A"])
async def test_names_that_no_task_has(keeper: Service, name: str) -> None:
    answer = await keeper.client.get(f"{PATH_TASKS}/{name}")
    assert (answer.status_code, answer.json()["code"]) == (404, "task_not_found")
    listed = await keeper.client.get(f"{PATH_TASKS}?after={name}")
    assert listed.json() == {"tasks": [], "next": None}


async def test_the_list_goes_page_by_page(keeper: Service) -> None:
    made = [(await submit(keeper))["id"] for _ in range(5)]
    found: list[str] = []
    after: dict[str, Any] = {}
    while True:
        page = (await keeper.client.get(PATH_TASKS, params={"limit": 2, **after})).json()
        found += [task["id"] for task in page["tasks"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert found == made[::-1]


async def test_a_failure_is_told_as_parse_tells_it(keeper: Service) -> None:
    def fail(page: PageImage, options: ParseOptions) -> PageResult:
        raise ValueError("canary")

    keeper.engine.read = fail
    task = await ended(keeper, await submit(keeper))
    assert task["status"] == "failed"
    assert task["error"]["code"] == "engine_failed"
    direct = await keeper.client.post(PARSE, files={"file": ("a", a_document())})
    answer = await keeper.client.get(f"{PATH_TASKS}/{task['id']}/result")
    own = {"request_id": ""}
    assert answer.json() | own == direct.json() | own
    assert answer.status_code == direct.status_code
    assert "canary" not in answer.text + keeper.log.getvalue()


async def test_what_cannot_be_opened_is_no_task(keeper: Service) -> None:
    for document, code in (
        (b"", "empty_document"),
        (b"nothing", "unsupported_media_type"),
        (a_document(password="x"), "password_required"),
        (a_document(10_001), "too_many_pages"),
    ):
        answer = await keeper.client.post(PATH_TASKS, files={"file": ("a", document)})
        assert answer.json()["code"] == code
    assert (await keeper.client.get(PATH_TASKS)).json()["tasks"] == []
    assert _objects(keeper) == []


async def test_a_result_that_is_not_there_yet(keeper: Service) -> None:
    keeper.engine.hold()
    task = await submit(keeper)
    await eventually(lambda: keeper.engine.running == 1)
    answer = await keeper.client.get(f"{PATH_TASKS}/{task['id']}/result")
    assert (answer.status_code, answer.json()["code"]) == (409, "task_not_done")
    shown = await keeper.client.get(f"{PATH_TASKS}/{task['id']}", params={"wait": 0.05})
    assert shown.json()["status"] == "running"
    keeper.engine.release()
    assert (await ended(keeper, task))["status"] == "done"


async def test_a_full_queue_is_told_before_the_body_is_read(
    start: StartService, tmp_path: Path
) -> None:
    service = await start(
        directory=tmp_path, tasks={"max_queued_pages": 5, "max_queued_pages_per_tenant": 4}
    )
    service.engine.hold()
    await submit(service, a_document(3))
    answer = await service.client.post(PATH_TASKS, files={"file": ("a", a_document(2))})
    assert (answer.status_code, answer.json()["code"]) == (429, "tenant_limit")
    await submit(service, a_document(1))
    answer = await service.client.post(PATH_TASKS, content=b"", headers={"content-type": "x"})
    assert (answer.status_code, answer.json()["code"]) == (429, "tenant_limit")
    assert int(answer.headers["Retry-After"]) >= 1


async def test_a_request_that_takes_too_long_goes_on_from_its_pages(
    start: StartService, tmp_path: Path
) -> None:
    service = await start(directory=tmp_path, request_timeout_seconds=1, max_concurrency=1)
    read = service.engine.read
    seen: list[int] = []

    def hold_at_the_third(page: PageImage, options: ParseOptions) -> PageResult:
        seen.append(page.index)
        if seen == [0, 1, 2]:
            service.engine.hold()
        return read(page, options)

    service.engine.read = hold_at_the_third
    answer = await service.client.post(PARSE, files={"file": ("a", a_document(5))})
    assert answer.status_code == 202, answer.text
    assert 1 <= int(answer.headers["Retry-After"]) <= 3600
    task = answer.json()
    assert task["pages_done"] == 3
    service.engine.release()
    assert (await ended(service, task))["status"] == "done"
    assert seen[:3] + sorted(set(seen[3:])) == [0, 1, 2, 3, 4]
    result = (await service.client.get(f"{PATH_TASKS}/{task['id']}/result")).json()
    assert [page["index"] for page in result["pages"]] == [0, 1, 2, 3, 4]


async def test_without_a_place_there_are_no_tasks(service: Service) -> None:
    for method, path in (("POST", PATH_TASKS), ("GET", PATH_TASKS), ("GET", f"{PATH_TASKS}/1")):
        answer = await service.client.request(method, path)
        assert (answer.status_code, answer.json()["code"]) == (404, "tasks_disabled")


@pytest.mark.parametrize(
    "path",
    ["?limit=0", "?limit=101", "?limit=x", "?other=1", "/1?wait=61", "/1?wait=nan", "/1?wait=-1"],
)
async def test_parameters_that_are_none(keeper: Service, path: str) -> None:
    answer = await keeper.client.get(PATH_TASKS + path)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


def _objects(service: Service) -> list[Path]:
    """Return the directories of the store that belong to tasks."""
    place = service.directory
    assert place is not None
    return sorted(p for p in (place / "objects").iterdir() if not p.name.startswith("."))
