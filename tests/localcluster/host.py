"""What starting a cluster changes on the host outside its own folder, and how it is put back."""

import contextlib
import json
import shutil
from pathlib import Path

from localcluster import mounts
from localcluster.paths import State

# Fixed in kubelet, containerd, runc, CNI and iproute2; removed again only if they were not there.
FOLDERS = (
    "/run/netns",
    "/run/containerd",
    "/run/runc",
    "/var/lib/cni",
    "/var/lib/kubelet",
    "/var/log/containers",
    "/etc/cni",
    "/opt/cni",
)
# What they leave there that belongs to no sandbox.
LEFT_BEHIND = (
    "/etc/cni/net.d/cni.lock",
    "/var/lib/kubelet/device-plugins/kubelet.sock",
    "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint",
)
# The kubelet sets these for the whole machine.
SYSCTLS = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)


def remember(state: State) -> None:
    """Write down how the host is now."""
    settings = {}
    for name in SYSCTLS:
        with contextlib.suppress(OSError):
            settings[name] = (Path("/proc/sys") / name).read_text().strip()
    absent = [folder for folder in FOLDERS if not Path(folder).exists()]
    record = {"absent": absent, "sysctls": settings}
    state.host_record.write_text(json.dumps(record))


def restore(state: State) -> None:
    """Put the host back to what was written down; without a record leave shared folders alone."""
    _forget_sandboxes(state)
    try:
        record = json.loads(state.host_record.read_text())
    except (OSError, ValueError):
        return
    for name, value in record["sysctls"].items():
        with contextlib.suppress(OSError):  # a container may see it read-only, then it is as it was
            (Path("/proc/sys") / name).write_text(value)
    for folder in map(Path, record["absent"]):
        _remove_unused(folder)


def _forget_sandboxes(state: State) -> None:
    """Remove this cluster's entries from folders that it shares with other programs."""
    for sandbox in state.sandboxes.glob("*"):
        for result in Path("/var/lib/cni/results").glob(f"*-{sandbox.name}-*"):
            result.unlink()
    for link in Path("/var/log/containers").glob("*.log"):
        if link.is_symlink() and link.readlink().is_relative_to(state.root):
            link.unlink()
    for address in state.sandboxes.glob("*/address"):
        with contextlib.suppress(OSError):
            Path(address.read_text().strip().removeprefix("unix://")).unlink(missing_ok=True)


def _remove_unused(folder: Path) -> None:
    for left in map(Path, LEFT_BEHIND):
        if left.is_relative_to(folder):
            left.unlink(missing_ok=True)
    if any(path.is_file() or path.is_socket() for path in folder.rglob("*")):
        return  # another program has come to use it meanwhile
    mounts.unmount(folder)
    shutil.rmtree(folder, ignore_errors=True)
