"""The cluster on this machine itself, for machines without a Docker engine."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from localcluster import bootstrap, build, locks, packages, paths, teardown, waiting
from localcluster.bootstrap import Bootstrap
from localcluster.console import Failure, say
from localcluster.containerd import Containerd
from localcluster.paths import State
from localcluster.pki import Pki

BUSY_SECONDS = 60.0


@dataclass(frozen=True)
class LocalCluster:
    """One node, started and stopped by this program."""

    state: State

    def up(self) -> None:
        """Return with a cluster of this checkout's versions: the running one, or a new one."""
        _require_root()
        packages.ensure(packages.NODE, cni=True)
        programs = build.ensure()
        with self._lock():
            why_not = self._why_not_reusable()
            if not why_not:
                say("the cluster is already running")
                return
            if self.state.root.exists():
                say(f"replacing the old cluster: {why_not}")
            teardown.remove(self.state)
            Bootstrap(self.state, programs).run()

    def down(self) -> None:
        """Remove everything; fine when there is nothing."""
        _require_root()
        with self._lock():
            if not teardown.remove(self.state):
                say("no cluster is here")

    def running(self) -> bool:
        """Whether all processes run; the node may still be busy."""
        return self.state.binaries_key.exists() and not self._dead()

    def status(self) -> list[str]:
        """What there is, for people."""
        if not self.state.root.exists():
            return ["local cluster: none"]
        if not self.running():
            return [f"local cluster: broken ({self._why_not_reusable()})"]
        server = bootstrap.api(self.state)
        ready = "Ready" if bootstrap.node_ready(server) else "not Ready"
        lines = [
            f"local cluster: running, node {ready}, binaries {self.state.binaries_key.read_text()}",
            f"kubeconfig: {self.state.kubeconfig}",
            f"audit log: {self.state.audit_log}",
            f"network namespace: {self.state.name}",
        ]
        for name in bootstrap.SERVICES:
            service = bootstrap.service(self.state, name)
            identity = service.identity()
            lines.append(f"{name}: pid {identity.pid if identity else '-'}, log {service.log}")
        return lines

    def load(self, archives: Sequence[Path]) -> None:
        """Make the images of the archives known to the node."""
        if not self.running():
            raise Failure("no cluster is running; start one: localcluster up")
        for archive in archives:
            Containerd(self.state).load(archive.absolute())

    def _lock(self) -> AbstractContextManager[None]:
        # The parent folder: the state folder itself is removed while the lock is held.
        return locks.exclusive(self.state.root.parent, "starting or stopping the cluster")

    def _dead(self) -> list[str]:
        services = (bootstrap.service(self.state, name) for name in bootstrap.SERVICES)
        return [service.name for service in services if not service.identity()]

    def _why_not_reusable(self) -> str:
        """Why `up` cannot go on with what runs; empty when it can."""
        if not self.state.binaries_key.exists():
            return "it was never fully started"
        if self.state.binaries_key.read_text() != paths.binaries_key():
            return "it runs other versions than this checkout pins"
        if dead := self._dead():
            return f"not running: {', '.join(dead)}"
        if Pki(self.state.pki).near_expiry():
            return "its certificates end soon"
        server = bootstrap.api(self.state)
        try:
            waiting.until("", lambda: bootstrap.node_ready(server), BUSY_SECONDS)
        except Failure:
            return f"its node is not Ready, even after {BUSY_SECONDS:.0f} s"
        return ""


def _require_root() -> None:
    if os.geteuid():
        raise Failure(
            "a cluster on this machine itself needs root (namespaces, mounts): run it by sudo,"
            " or start a Docker engine and put `kind` on PATH"
        )
