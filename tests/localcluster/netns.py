"""The cluster's own network namespace: its addresses never meet the host's network."""

import ctypes
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from localcluster import commands, mounts
from localcluster.commands import Argv
from localcluster.processes import Identity

T = TypeVar("T")
CLONE_NEWNET = 0x40000000
BRIDGE = "node0"


def enter(handle: Path) -> None:
    """Move the calling thread into the namespace; sockets it has open stay where they were."""
    with handle.open("rb") as namespace:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(namespace.fileno(), CLONE_NEWNET):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(handle))


@dataclass(frozen=True)
class Namespace:
    """A network namespace known to `ip netns` by its name."""

    name: str

    @property
    def handle(self) -> Path:
        """The file that keeps the namespace open."""
        return Path("/run/netns") / self.name

    def wrap(self, argv: Argv) -> Argv:
        """The command, run inside."""
        # Not `ip netns exec`: it remounts /sys and hides the cgroups from the kubelet.
        return ["nsenter", f"--net={self.handle}", "--", *argv]

    def call(self, work: Callable[[], T]) -> T:
        """Return what the function returns inside the namespace."""

        def inside() -> T:
            enter(self.handle)
            return work()

        # Only that one thread moves, and it ends with the call.
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(inside).result()

    def create(self, address: str) -> None:
        """Make it, with loopback, a bridge that bears the node's address, and a default route."""
        commands.output(["ip", "netns", "add", self.name])
        inside = ["ip", "-n", self.name]
        commands.output([*inside, "link", "set", "lo", "up"])
        # A bridge without ports serves as the node's device: dummy devices may be missing.
        commands.output([*inside, "link", "add", BRIDGE, "type", "bridge"])
        commands.output([*inside, "address", "add", f"{address}/24", "dev", BRIDGE])
        commands.output([*inside, "link", "set", BRIDGE, "up"])
        # Service addresses are rewritten after routing, so they need a route to begin with.
        commands.output([*inside, "route", "add", "default", "dev", BRIDGE])

    def identities(self) -> Iterator[Identity]:
        """Every living process inside: all are the cluster's, with a pid file or without."""
        if not mounts.is_mount(self.handle):
            return
        namespace = self.handle.stat()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                status = (entry / "ns" / "net").stat()
            except OSError:
                continue
            if (status.st_dev, status.st_ino) == (namespace.st_dev, namespace.st_ino):
                identity = Identity.of(int(entry.name))
                if identity and identity.pid != os.getpid():
                    yield identity

    def delete(self) -> None:
        """Remove it, with its devices, addresses and iptables rules; fine when it is gone."""
        mounts.unmount(self.handle)
        self.handle.unlink(missing_ok=True)
