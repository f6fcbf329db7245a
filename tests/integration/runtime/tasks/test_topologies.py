"""Tasks outlive the way they came in: pods that replace gateways and workers go on with them."""

import json
from collections import Counter
from pathlib import Path

from docparser_api.names import ENV_SPLIT_FILE, ENV_TRACK
from integration.runtime.processes import serving

from .client import blank_pdf
from .conftest import Cluster, Connect, slowly


async def test_tasks_of_gateways_are_done_by_pods_that_answer_for_themselves(
    cluster: Cluster, connect: Connect, tmp_path: Path
) -> None:
    queued = _split_of(tmp_path, "queued")
    slow = cluster.environment(**slowly(100, maxConcurrency=1)) | {ENV_TRACK: "queued"}
    async with (
        serving(cluster.environment() | queued, role="gateway") as gateway,
        serving(slow, role="worker") as worker,
    ):
        client = connect(gateway)
        tasks = [(await client.submit(blank_pdf(5)))["id"] for _ in range(8)]
        first = await client.task(tasks[0], wait=20)
        assert first["status"] == "done"
        worker.process.terminate()
        assert await worker.exit_code() == 0
    direct = cluster.environment() | {ENV_TRACK: "direct"} | _split_of(tmp_path, "direct")
    async with serving(direct, role="all") as pod:
        after = connect(pod)
        ends = [await after.task(task, wait=30) for task in tasks]
        assert Counter(task["status"] for task in ends) == {"done": 8}
        results = [await after.result(task) for task in tasks]
        assert {len(result.json()["pages"]) for result in results} == {5}
        assert await pod.metric("docparser_tasks_retracked_total") >= 6
        new = await after.submit(blank_pdf(1))
        assert (await after.task(new["id"], wait=20))["status"] == "done"


def _split_of(directory: Path, track: str) -> dict[str, str]:
    """Return the variable that names a split which gives this track everything."""
    file = directory / f"{track}.json"
    file.write_text(json.dumps({"tracks": {track: 100}}))
    return {ENV_SPLIT_FILE: str(file)}
