"""The pinned Kubernetes binaries and Helm, compiled from the Go modules that go.sum files fix."""

import re
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from localcluster import commands, locks, paths, toolchain
from localcluster.console import Failure, Ticker, say, tail

FIRST_BUILD = "a first build of everything takes about 12-15 minutes on 2 cores, then never again"
# The committed go.sum decides; nothing of the user's Go settings does.
SETTINGS = {
    "CGO_ENABLED": "0",
    "GOFLAGS": "-mod=readonly",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}


@dataclass(frozen=True)
class Binary:
    """A program and the Go package that it is built from."""

    name: str
    package: str


# The API server first: integration tests need only it and etcd.
BINARIES = (
    Binary("etcd", "go.etcd.io/etcd/server/v3"),
    Binary("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    Binary("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
    Binary("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    Binary("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
    Binary("kubelet", "k8s.io/kubernetes/cmd/kubelet"),
    Binary("kube-proxy", "k8s.io/kubernetes/cmd/kube-proxy"),
    Binary("coredns", "github.com/coredns/coredns"),
    Binary("pause", "docparser.dev/localcluster/pause"),
)


HELM = Binary("helm", "helm.sh/helm/v4/cmd/helm")


def ensure(names: Iterable[str] | None = None) -> Path:
    """The folder with the named binaries (default: all), after building those that lack."""
    wanted = [binary for binary in BINARIES if names is None or binary.name in set(names)]
    return _ensure(wanted, paths.TOOLS, paths.binaries())


def ensure_helm() -> Path:
    """The Helm program, after building it where it lacks: only its own tests need it."""
    return _ensure([HELM], paths.HELM_TOOLS, paths.helm_binaries()) / HELM.name


def _ensure(wanted: list[Binary], source: Path, folder: Path) -> Path:
    """`folder` with the wanted binaries of the module in `source`."""
    if not _missing(wanted, folder):
        return folder
    with locks.exclusive(folder, f"building {folder.parent.name}"):
        for left in folder.glob(".*-*"):
            shutil.rmtree(left)  # of a build that was killed; no other build is running
        missing = _missing(wanted, folder)
        if missing:
            say(f"building {len(missing)} programs into {folder}")
            if len(missing) > len(BINARIES) / 2:
                say(FIRST_BUILD)
        for number, binary in enumerate(missing, 1):
            _build(binary, source, folder, f"[{number}/{len(missing)}] {binary.name}")
    return folder


def kubernetes_version() -> str:
    """The version that tools/go.mod pins."""
    return version_in((paths.TOOLS / "go.mod").read_text())


def version_in(go_mod: str) -> str:
    """The version of k8s.io/kubernetes in the text of a go.mod."""
    match = re.search(r"^\s*k8s\.io/kubernetes (v\S+)", go_mod, re.MULTILINE)
    if not match:
        raise Failure("tools/go.mod does not require k8s.io/kubernetes")
    return match[1]


def linker_flags(version: str) -> str:
    """Strip, and tell the components their version: a module build knows none."""
    major, minor, _ = version.removeprefix("v").split(".", 2)
    stamps = {
        "gitVersion": version,
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
        "gitCommit": version,
    }
    symbols = (f"-X k8s.io/component-base/version.{key}={value}" for key, value in stamps.items())
    return " ".join(["-s", "-w", *symbols])


def _missing(wanted: list[Binary], folder: Path) -> list[Binary]:
    return [binary for binary in wanted if not (folder / binary.name).exists()]


def _build(binary: Binary, source: Path, folder: Path, label: str) -> None:
    flags = linker_flags(kubernetes_version())
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{binary.name}-") as scratch:
        made, log = Path(scratch) / binary.name, Path(scratch) / "log"
        command = [str(toolchain.go()), "build", "-trimpath", "-buildvcs=false", "-ldflags", flags]
        ticker = Ticker(f"{label}: building")
        say(f"{label}: building")
        command += ["-o", str(made), binary.package]
        status = commands.watched(command, log, ticker, env=SETTINGS, cwd=source)
        if status:
            raise Failure(f"{binary.name} was not built (go build said {status})\n{tail(log, 30)}")
        # Renamed only when whole: whoever sees the name can run the program.
        made.rename(folder / binary.name)
        say(f"{label}: built in {ticker.elapsed_seconds:.0f} s")
