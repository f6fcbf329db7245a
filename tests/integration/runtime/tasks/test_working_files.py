"""Where results are put together: what goes wrong there is not the document's fault."""

from pathlib import Path

from docparser_api.names import ENV_DATA
from integration.runtime.processes import environment, serving
from integration.runtime.tasks.client import blank_pdf
from integration.runtime.tasks.conftest import Connect
from unit.runtime.doubles import eventually


async def test_a_task_waits_for_its_working_files(tmp_path: Path, connect: Connect) -> None:
    working = tmp_path / "working"
    working.mkdir()
    environ = environment(tasks={"leaseSeconds": 2, "maxCrashes": 1})
    environ |= {ENV_DATA: str(tmp_path / "data"), "TMPDIR": str(working)}
    async with serving(environ) as program:
        client = connect(program)
        await client.task((await client.submit(blank_pdf(1)))["id"], wait=30)
        working.rmdir()
        task = await client.submit(blank_pdf(2))
        await eventually(lambda: len(program.events("task_put_off")) > 1)
        assert {one["code"] for one in program.events("task_put_off")} == {"storage_unavailable"}
        working.mkdir()
        done = await client.task(task["id"], wait=30)
        assert (done["status"], done["pages_done"]) == ("done", 2)
        assert list(working.iterdir()) == []
