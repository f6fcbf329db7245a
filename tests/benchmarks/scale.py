"""How the operator bears many objects, on a real control plane without nodes.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/scale.py --count 1000 --rest-seconds 600

The figures come from the API server's audit log and from /proc. The objects ask for no pods, since
nothing could run them. Ends with an error where a goal is missed.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from support.eventually import eventually
from support.many_objects import AGENT, CHILDREN, Bench, benches, first_writes, is_child

EDITS, EDITS_PER_SECOND = 100, 4.0
GOALS = {
    "children_seconds": 30.0,
    "edit_p99_seconds": 2.0,
    "writes_at_rest": 0,
    "resident_mebibytes": 300.0,
    "restart_seconds": 60.0,
    "changed_templates": 0,
}
"""The most that is right."""


def created(bench: Bench) -> None:
    """Create all objects; find out when the last child of each was there."""
    items = [a_parser(name) for name in bench.names]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    bench.kubectl.run("create", "-f", "-", stdin=text, timeout_seconds=600)
    bench.quiet(600)
    log = list(bench.log())
    children = {(r.resource, r.name) for r in log if is_child(r)}
    assert len(children) == len(CHILDREN) * bench.count, Counter(kind for kind, _ in children)
    of_objects = [r for r in log if r.resource == "docparserdeployments" and r.verb == "create"]
    last_create = max(r.completed for r in of_objects)
    last_child = max(first_writes(log))
    bench.found |= {
        "create_seconds": seconds(of_objects[0].completed, last_create),
        "children_seconds": seconds(last_create, last_child),
    }
    bench.found |= {
        "cpu_seconds_per_object": round(bench.cpu_seconds() / bench.count, 4),
        "writes_per_object": round(len(bench.writes()) / bench.count, 2),
        "resident_mebibytes": bench.memory("VmHWM"),
    }


def edited(bench: Bench) -> None:
    """Edit some objects, one after the other, and find out when something was first written."""
    chosen = random.Random(1).sample(bench.names, min(EDITS, bench.count))  # noqa: S311 (no secret)
    since = datetime.now(UTC)
    for number, name in enumerate(chosen):
        due = since.timestamp() + number / EDITS_PER_SECOND
        time.sleep(max(0.0, due - time.time()))
        bench.kubectl.run("patch", "dpd", name, "--type=merge", "-p", EDIT)
    bench.quiet(120)
    log = list(bench.log(since))
    took = []
    for name in chosen:
        mine = [r for r in log if r.name == name or r.name.startswith(f"{name}-")]
        edit = next(r for r in mine if r.agent != AGENT and r.resource == "docparserdeployments")
        answer = next(r for r in mine if r.agent == AGENT and r.writes)
        took.append(seconds(edit.completed, answer.completed))
    took.sort()
    bench.found |= {
        "edit_p50_seconds": took[len(took) // 2],
        "edit_p99_seconds": took[-1 - len(took) // 100],
    }


EDIT = json.dumps({"spec": {"runtime": {"maxPages": 7}}})


def rested(bench: Bench, rest_seconds: float) -> None:
    """Leave all alone, and find out what is written and asked."""
    bench.quiet(300)
    since, cpu = datetime.now(UTC), bench.cpu_seconds()
    time.sleep(rest_seconds)
    calls = [r for r in bench.log(since) if r.agent == AGENT]
    written = bench.writes(since)
    for request in written[:10]:
        print("written at rest:", request)
    bench.found |= {
        "rest_seconds": rest_seconds,
        "writes_at_rest": len(written),
        "calls_per_minute_at_rest": round(60 * len(calls) / rest_seconds, 1),
        "cpu_percent_at_rest": round(100 * (bench.cpu_seconds() - cpu) / rest_seconds, 2),
        "resident_mebibytes_at_rest": bench.memory("VmRSS"),
    }


def restarted(bench: Bench) -> None:
    """Kill the operator and start another; find out when it has been through all objects."""
    before = templates(bench)
    bench.operator.kill()
    since = datetime.now(UTC)
    bench.operator.start().wait_ready()
    lasted = eventually(
        lambda: reconciled(bench), lambda n: n >= bench.count, 300, "all were looked at again"
    )
    took = seconds(since, datetime.now(UTC))
    bench.quiet(120)
    bench.found |= {
        "restart_seconds": took,
        "reconciles_at_restart": lasted,
        "writes_at_restart": len(bench.writes(since)),
        "changed_templates": sum(before[name] != now for name, now in templates(bench).items()),
    }


def reconciled(bench: Bench) -> int:
    """Return how often the operator has looked at an object since it began."""
    return int(bench.operator.metric("docparser_operator_reconcile_duration_seconds_count"))


def templates(bench: Bench) -> dict[str, str]:
    """Return the generation of each Deployment."""
    found = bench.kubectl.list("deployments")
    return {d["metadata"]["name"]: d["metadata"]["generation"] for d in found}


def a_parser(name: str) -> dict[str, Any]:
    """Return an object."""
    return {
        "apiVersion": "docparser.dev/v1alpha1",
        "kind": "DocParserDeployment",
        "metadata": {"name": name},
        "spec": {"image": "example.org/runtime:1", "model": {"engine": "fake"}, "replicas": 0},
    }


def seconds(begin: datetime, end: datetime) -> float:
    """Return the time from one to the other, in seconds."""
    return round((end - begin).total_seconds(), 3)


def main() -> None:
    """Print the figures, and write them where `--out` says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rest-seconds", type=float, default=600)
    parser.add_argument("--out", type=Path, help="file for the figures, as JSON")
    options = parser.parse_args()
    with benches(options.count) as bench:
        for part in (created, edited, lambda b: rested(b, options.rest_seconds), restarted):
            part(bench)
            print(json.dumps(bench.found), file=sys.stderr, flush=True)
    found = {"date": datetime.now(UTC).date().isoformat(), "objects": options.count, **bench.found}
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n")
    wrong = table(found)
    sys.exit(wrong)


def table(found: dict[str, Any]) -> bool:
    """Print the figures beside their goals; return whether one is missed."""
    for name, value in found.items():
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"at most {goal:g}"
        print(f"{name:28} {value!s:>12}  {verdict}")
    return any(found[name] > goal for name, goal in GOALS.items())


if __name__ == "__main__":
    main()
