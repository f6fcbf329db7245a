"""The cgroups of the cluster's containers, in every hierarchy of cgroup v1 or v2."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from localcluster.paths import State
from localcluster.processes import Identity

HIERARCHIES = Path("/sys/fs/cgroup")
# containerd's name for the group that holds all its containers; other clusters may share it.
PARENT = "k8s.io"


def _parents() -> list[Path]:
    # v2 has the group at the top, v1 one level down, once for each controller.
    candidates = [HIERARCHIES / PARENT, *HIERARCHIES.glob(f"*/{PARENT}")]
    return [path for path in candidates if path.is_dir() and not path.parent.is_symlink()]


def _groups(state: State) -> Iterator[Path]:
    """The groups of this cluster's containers, innermost first; containerd's record names them."""
    if not state.sandboxes.is_dir():
        return
    for container in state.sandboxes.iterdir():
        for parent in _parents():
            for folder, _, _ in os.walk(parent / container.name, topdown=False):
                yield Path(folder)


def identities(state: State) -> Iterator[Identity]:
    """Every living process of the cluster's containers."""
    pids = set()
    for group in _groups(state):
        with contextlib.suppress(OSError):
            pids.update((group / "cgroup.procs").read_text().split())
    for pid in pids:
        if identity := Identity.of(int(pid)):
            yield identity


def remove(state: State) -> None:
    """Remove the groups; any that still has members, of whatever cluster, stays."""
    for group in [*_groups(state), *_parents()]:
        with contextlib.suppress(OSError):
            group.rmdir()
