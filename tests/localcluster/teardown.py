"""Removing a cluster from this machine, whatever state it is in."""

import itertools
import shutil

from localcluster import cgroups, host, mounts, processes, waiting
from localcluster.bootstrap import SERVICES, service
from localcluster.console import say
from localcluster.netns import Namespace
from localcluster.paths import State

GONE_SECONDS = 30.0


def remove(state: State) -> bool:
    """Leave no process, mount, namespace, cgroup or file; tell whether there was anything."""
    namespace = Namespace(state.name)
    found = state.root.exists() or mounts.is_mount(namespace.handle)
    running = [service(state, name).identity() for name in SERVICES]
    processes.stop([identity for identity in running if identity])

    def none_left() -> bool:
        # Containers, their shims, and whatever a killed start left without a pid file.
        left = list(itertools.chain(cgroups.identities(state), namespace.identities()))
        processes.stop(left, grace_seconds=1)
        return not left

    waiting.until("all processes of the cluster have ended", none_left, GONE_SECONDS)
    cgroups.remove(state)
    mounts.unmount(state.root)
    namespace.delete()
    host.restore(state)
    if state.root.exists():
        shutil.rmtree(state.root)
    if found:
        say(f"removed the cluster below {state.root}")
    return found
