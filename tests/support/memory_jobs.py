"""The Job controller, which in memory needs no time."""

from collections.abc import Callable
from dataclasses import dataclass

from docparser_operator.kinds import JOB, Manifest, ref_of
from support.memory_cluster import MemoryCluster

Ending = Callable[[Manifest], tuple[bool, str]]
"""Whether a Job ends well, and what its container says last."""


@dataclass
class MemoryJobs:
    """Runs each Job to its end.

    Attributes:
        ending: how Jobs end.
    """

    cluster: MemoryCluster
    ending: Ending = lambda _job: (True, "")

    def step(self) -> None:
        """Let every new Job run."""
        for job in self.cluster.of_kind(JOB):
            if not job.get("status"):
                self._run(job)

    def _run(self, job: Manifest) -> None:
        succeeded, message = self.ending(job)
        ref = ref_of(self.cluster.submit(_pod(job)))
        ended = {"exitCode": 0 if succeeded else 1, "message": message}
        container = {"name": "helper", "state": {"terminated": ended}}
        phase = "Succeeded" if succeeded else "Failed"
        self.cluster.edit(ref, {"status": {"phase": phase, "containerStatuses": [container]}})
        kind = "Complete" if succeeded else "Failed"
        condition = {"type": kind, "status": "True"}
        self.cluster.edit(ref_of(job), {"status": {"conditions": [condition]}})


def _pod(job: Manifest) -> Manifest:
    metadata, template = job["metadata"], job["spec"]["template"]
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{metadata['name']}-0001",
            "namespace": metadata["namespace"],
            "labels": dict(template["metadata"]["labels"]),
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    }
