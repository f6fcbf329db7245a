"""Debian packages that the node and the image build need, installed when missing."""

import os
import shutil
from pathlib import Path

from localcluster import commands
from localcluster.console import Failure, say

# Program -> the package that brings it.
NODE = {
    "containerd": "containerd",
    "ctr": "containerd",
    "runc": "runc",
    "iptables": "iptables",
    "conntrack": "conntrack",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "umount": "mount",
    "openssl": "openssl",
}
IMAGES = {"buildah": "buildah", "mmdebstrap": "mmdebstrap"}
CNI_PLUGINS = "containernetworking-plugins"
CNI_FOLDERS = ("/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni")
CNI_NEEDED = ("ptp", "host-local", "portmap")


def cni_folder() -> Path | None:
    """The folder that holds the CNI plug-ins, if one does."""
    for folder in map(Path, CNI_FOLDERS):
        if all((folder / name).exists() for name in CNI_NEEDED):
            return folder
    return None


def missing(programs: dict[str, str]) -> list[str]:
    """The packages whose programs are not on this machine."""
    # Administrators' programs need not be on an ordinary PATH.
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return sorted({name for word, name in programs.items() if not shutil.which(word, path=path)})


def ensure(programs: dict[str, str], *, cni: bool = False) -> None:
    """Install what is missing; on another distribution say what is needed."""
    wanted = missing(programs)
    if cni and not cni_folder():
        wanted.append(CNI_PLUGINS)
    if not wanted:
        return
    names = " ".join(wanted)
    if not shutil.which("apt-get"):
        raise Failure(f"install these first (Debian's names): {names}")
    if os.geteuid():
        raise Failure(f"as root, run: apt-get install {names}")
    say(f"installing Debian packages: {names}")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    commands.output(["apt-get", "update", "-q"], env=quiet)
    install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", *wanted]
    commands.output(install, env=quiet)
