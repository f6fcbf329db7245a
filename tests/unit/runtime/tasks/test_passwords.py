"""Passwords of documents that are handed in as tasks."""

import pytest
from docparser_api.names import PATH_TASKS
from unit.runtime.doubles import Service, a_document
from unit.runtime.tasks.conftest import ended, submit

PASSWORD = "correct horse"
LOCKED = a_document(2, password=PASSWORD)


async def test_what_is_stored_needs_no_password(keeper: Service) -> None:
    task = await submit(keeper, LOCKED, password=PASSWORD)
    assert (await ended(keeper, task))["status"] == "done"
    answer = await keeper.client.get(f"{PATH_TASKS}/{task['id']}/result")
    assert len(answer.json()["pages"]) == 2
    assert keeper.directory is not None
    stored = [path.read_bytes() for path in keeper.directory.rglob("*") if path.is_file()]
    assert stored
    assert not any(PASSWORD.encode() in content for content in stored)
    assert PASSWORD not in keeper.log.getvalue()


async def test_a_document_without_encryption_is_stored_as_it_came(keeper: Service) -> None:
    content = a_document(2)
    task = await submit(keeper, content, password="needless")
    assert keeper.directory is not None
    assert (keeper.directory / "objects" / task["id"] / "upload" / "0").read_bytes() == content


@pytest.mark.parametrize(
    ("fields", "code"),
    [({}, "password_required"), ({"password": "wrong"}, "password_invalid")],
)
async def test_other_passwords_make_no_task(
    keeper: Service, fields: dict[str, str], code: str
) -> None:
    answer = await keeper.client.post(PATH_TASKS, files={"file": ("a", LOCKED)}, data=fields)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert (await keeper.client.get(PATH_TASKS)).json()["tasks"] == []


async def test_a_repetition_is_known_by_what_was_sent(keeper: Service) -> None:
    headers = {"Idempotency-Key": "once"}
    first = await submit(keeper, LOCKED, password=PASSWORD, headers=headers)
    again = await submit(keeper, LOCKED, password=PASSWORD, headers=headers)
    assert again["id"] == first["id"]
    other = await keeper.client.post(
        PATH_TASKS, files={"file": ("a", a_document(2))}, headers=headers
    )
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
