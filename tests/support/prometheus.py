"""A real Prometheus server, from Debian's package, without installing it."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from localcluster import commands, paths
from localcluster.console import Failure, say
from support.eventually import eventually

PACKAGE = "prometheus"


def program() -> Path:
    """The server's program: installed, cached, or unpacked into the cache."""
    if found := shutil.which(PACKAGE):
        return Path(found)
    folder = paths.cache() / PACKAGE
    cached = folder / "usr/bin" / PACKAGE
    if not cached.exists():
        _unpack(folder)
    return cached


def _unpack(folder: Path) -> None:
    """Unpack the package: to install it would start a service."""
    if not shutil.which("apt-get"):
        raise Failure(f"install this first (Debian's name): {PACKAGE}")
    say(f"unpacking Debian package: {PACKAGE}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        download = ["apt-get", "download", "-q", PACKAGE]
        if subprocess.run(download, cwd=scratch, capture_output=True, check=False).returncode:
            commands.output(["apt-get", "update", "-q"])
            subprocess.run(download, cwd=scratch, capture_output=True, check=True)
        (package,) = Path(scratch).glob("*.deb")
        unpacked = Path(scratch) / "unpacked"
        commands.output(["dpkg-deb", "-x", str(package), str(unpacked)])
        # Another process may have been quicker.
        if not folder.exists():
            os.rename(unpacked, folder)  # noqa: PTH104 (fails rather than nest)


@dataclass(frozen=True)
class Target:
    """Something that tells metrics.

    Attributes:
        address: host and port.
        labels: what a cluster's Prometheus would give its series.
        keeps_labels: whether its own labels stand where they have the same names.
    """

    address: str
    labels: Mapping[str, str] = field(default_factory=dict)
    keeps_labels: bool = False


@contextmanager
def running(folder: Path, targets: Sequence[Target], rules: Sequence[Path] = ()) -> Iterator[str]:
    """Run a server that looks at `targets` each half second; yield its address."""
    config = folder / "prometheus.yml"
    jobs = [
        {
            "job_name": target.address,
            "honor_labels": target.keeps_labels,
            "static_configs": [{"targets": [target.address], "labels": dict(target.labels)}],
        }
        for target in targets
    ]
    timing = {"scrape_interval": "500ms", "scrape_timeout": "400ms", "evaluation_interval": "1s"}
    files = [str(rule) for rule in rules]
    # Every JSON is YAML.
    config.write_text(json.dumps({"global": timing, "scrape_configs": jobs, "rule_files": files}))
    address = f"127.0.0.1:{_free_port()}"
    arguments = [
        str(program()),
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}",
    ]
    log = folder / "prometheus.log"
    with log.open("w") as out:
        process = subprocess.Popen(arguments, cwd=folder, stdout=out, stderr=out)
    try:
        eventually(lambda: _is_ready(process, address), bool, 30, "Prometheus is ready")
        yield f"http://{address}"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        print(log.read_text()[-3000:])


def _is_ready(process: subprocess.Popen[bytes], address: str) -> bool:
    assert process.poll() is None, "Prometheus ended"
    try:
        with urllib.request.urlopen(f"http://{address}/-/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
