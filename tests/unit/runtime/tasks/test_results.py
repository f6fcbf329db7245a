"""Results as objects of the store."""

import io
import json
from pathlib import Path

from docparser_runtime import logs
from docparser_runtime.schemas import Options
from docparser_runtime.storage.directory import DirectoryStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.room import Room
from docparser_runtime.summaries import Sums
from docparser_runtime.tasks.results import JSON, About, ResultWriter, form_of
from docparser_runtime.tasks.stored_pages import StoredPages
from support.queues import QueueBench, a_job


async def test_a_worker_that_comes_late_spoils_no_result(tmp_path: Path) -> None:
    failures = Failures(logs.create(io.StringIO(), "info"))
    root = tmp_path / "store"
    root.mkdir()
    store = DirectoryStore(root, Room(root, None), failures)
    async with QueueBench(f"sqlite:///{tmp_path}/queue.db").opened() as queue:
        job = await queue.submit(a_job())
    writer = ResultWriter(store, failures)
    for_clients, too_late = [
        await writer.write(job, StoredPages(store, []), About(Options(), Sums(), model))
        for model in ("in time", "too late")
    ]
    for result, model in ((for_clients, "in time"), (too_late, "too late")):
        found = form_of(result, JSON)
        assert found is not None
        name, sha256 = found
        assert name.startswith(f"{job.id}/")
        assert json.loads(await store.get(name, sha256))["model"] == model
