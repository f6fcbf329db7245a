"""The leading operator is killed or paused again and again while specs change; prints the count.

PYTHONPATH=tests .venv/bin/python tests/benchmarks/leaders.py --rounds 20
"""

import argparse
import sys
import tempfile
from pathlib import Path

from localcluster.controlplane import ControlPlane
from support.bare_plane import in_new_namespace, with_crd
from support.leader_churn import LeaderChurn

MOST_TAKEOVER_SECONDS = 15.0


def main() -> None:
    """Run it and print what came of it; fail when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="leaders-") as name:
        directory = Path(name)
        with ControlPlane(directory / "plane", controllers=True) as plane:
            kubectl = in_new_namespace(with_crd(plane), "leaders")
            found = LeaderChurn(plane, kubectl, directory).run(rounds)
    times = sorted(found.takeover_seconds)
    print(f"{rounds} leaders killed or paused, {found.changes} changes of the Lease's holder")
    print(f"takeover: median {times[len(times) // 2]:.1f} s, longest {times[-1]:.1f} s")
    print(f"{found.edits} edits, {found.writes} writes, {len(found.out_of_turn)} out of turn")
    print(f"{len(found.in_hand)} in hand when a leader was paused, sent as it woke up")
    for request in found.out_of_turn:
        print(f"  {request.user} {request}")
    sys.exit(times[-1] > MOST_TAKEOVER_SECONDS or bool(found.out_of_turn))


if __name__ == "__main__":
    main()
