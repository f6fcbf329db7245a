"""The fixtures of the quick tests of stores, and those that real faults need."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from unit.runtime.storage.conftest import bucket, log, server, stream

__all__ = ["bucket", "log", "server", "stream", "tiny_disk"]


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of 4 MiB and 40 inodes."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    place = tmp_path / "disk"
    place.mkdir()
    options = "size=4m,nr_inodes=40,mode=700"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"this machine refuses to mount a small file system: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)
