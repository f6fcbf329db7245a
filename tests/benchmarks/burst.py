"""What a burst of documents meets on a real cluster, beside what the simulator says of it.

    make cluster images; PYTHONPATH=tests .venv/bin/python -m localcluster test-images
    PYTHONPATH=tests .venv/bin/python tests/benchmarks/burst.py

The engine `fake` takes 2 s a page and 20 s to load. One document teaches the autoscaler what a
worker takes to come; once all have gone again, 500 pages arrive at once. Ends with an error when a
document is lost, the number of workers goes up and down more than once, or documents wait for more
than 1.2 times what the simulator says.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from e2e.conftest import a_namespace
from e2e.queue_parts import queue_parts
from e2e.sleepers import Sizes, Sleeper, burst, percentile, sizes_of, wait_asleep
from support.e2e import Client, Deployment
from support.installation import install
from support.kubectl import Manifest, local_kubectl

SLEEPER = Sleeper(
    page_seconds=2, load_seconds=20, places=4, most=4, target_wait_seconds=30, idle_seconds=30
)
DOCUMENTS, PAGES = 100, 5
QUIET_SECONDS = 3600
"""Time before the burst in the trace: the simulator begins with the pods that its start needs."""
MOST_TIMES = 1.2
PROGRAM = Path(sys.executable).parent / "kubectl-docparser"


def simulated(lead_seconds: int, over_seconds: float) -> float:
    """Return the longest wait but for 1 %, as the simulator says, in seconds.

    Args:
        lead_seconds: what a worker takes to come.
        over_seconds: time in which the documents arrive.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as trace:
        trace.write("time_seconds,pages\n")
        for number in range(DOCUMENTS):
            trace.write(f"{QUIET_SECONDS + over_seconds * number / DOCUMENTS},{PAGES}\n")
        trace.flush()
        options = {
            "--trace": trace.name,
            "--min": 0,
            "--max": SLEEPER.most,
            "--target-wait": SLEEPER.target_wait_seconds,
            "--idle-seconds": SLEEPER.idle_seconds,
            "--page-seconds": SLEEPER.page_seconds,
            "--places": SLEEPER.places,
            "--lead-seconds": lead_seconds,
            "--output": "json",
        }
        words = [str(word) for pair in options.items() for word in pair]
        done = subprocess.run([PROGRAM, "simulate", *words], capture_output=True, check=True)
    (found,) = json.loads(done.stdout)
    (ours,) = (one for one in found["outcomes"] if one["autoscaler"] == "Builtin")
    return float(ours["waitP99Seconds"])


def notice_seconds(sizes: Sizes) -> float:
    """Return when the first worker was asked for."""
    return next(at for at, size in sizes.seen if size)


def measured(deployment: Deployment, client: Client) -> tuple[Manifest, Sizes]:
    """Return what became of the documents, and of the number of workers until all have gone."""
    with sizes_of(deployment) as sizes:
        found = burst(client, deployment, documents=DOCUMENTS, pages=PAGES)
        wait_asleep(deployment, 300)
    return found, sizes


def failures(found: Manifest, sizes: Sizes, expected: float) -> list[str]:
    """Return what is not as it should be; print the figures."""
    wait = percentile(found["waits"], 99)
    print(f"documents {found['documents']}, {found['states']}, {found['seconds']:.1f} s in all")
    print(f"workers: {sizes.seen}")
    median = percentile(found["waits"], 50)
    print(f"wait P50 {median:.1f} s, P99 {wait:.1f} s; simulated P99 {expected:.1f} s")
    wrong = []
    if found["states"] != {"done": DOCUMENTS} or found["documents"] != DOCUMENTS:
        wrong.append("documents were lost")
    if sizes.turns != 1:
        wrong.append("the number of workers went up and down more than once")
    if wait > MOST_TIMES * expected:
        wrong.append(f"the wait is {wait / expected:.2f} times what was simulated")
    return wrong


def main() -> None:
    """Print the figures."""
    kubectl = local_kubectl()
    install(kubectl)
    with a_namespace(kubectl) as inside:
        deployment, client = Deployment(inside, "reader"), Client.start(inside)
        deployment.apply(SLEEPER.spec(queue_parts(inside)))
        deployment.wait_condition("ScalingActive", "True", seconds=120)
        with sizes_of(deployment) as first:
            burst(client, deployment, documents=1, pages=1)
            wait_asleep(deployment, 120)
        noticed = notice_seconds(first)
        lead = deployment.status()["autoscaling"]["leadTimeSeconds"]
        print(f"asked for a worker within {noticed:.2f} s, start of the client included")
        print(f"a worker takes {lead} s until it serves")
        found, sizes = measured(deployment, client)
        wrong = failures(found, sizes, simulated(lead, over_seconds=5))
    for one in wrong:
        print("NOT AS IT SHOULD BE:", one)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
