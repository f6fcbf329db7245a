from pathlib import Path
from typing import Any

import pytest
from docparser_api.names import PATH_TASKS
from unit.runtime.doubles import Service, StartService, a_document


@pytest.fixture
async def keeper(start: StartService, tmp_path: Path) -> Service:
    """A service that keeps tasks."""
    return await start(directory=tmp_path)


async def submit(service: Service, document: bytes | None = None, **fields: Any) -> dict[str, Any]:
    """Submit a document of one page, or this one, and return the task."""
    files = {"file": ("a.pdf", document or a_document())}
    headers = fields.pop("headers", {})
    answer = await service.client.post(PATH_TASKS, files=files, data=fields, headers=headers)
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


async def ended(service: Service, task: dict[str, Any]) -> dict[str, Any]:
    """Return a task once it has ended."""
    answer = await service.client.get(f"{PATH_TASKS}/{task['id']}", params={"wait": 20})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())
