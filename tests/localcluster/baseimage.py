"""A small Debian with Python, for image builds where no image registry is at hand."""

import hashlib
import tempfile
from pathlib import Path

from localcluster import commands, paths
from localcluster.console import Failure, Ticker, say, tail

SUITE = "bookworm"
PACKAGES = "python3,python3-venv,ca-certificates"
# Nobody reads manuals in a container.
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")


def key() -> str:
    """Identifies the recipe."""
    return hashlib.sha256(repr((SUITE, PACKAGES, LEFT_OUT)).encode()).hexdigest()[:12]


def archive() -> Path:
    """The root file system as a tar file, made when the cache has none."""
    target = paths.cache() / "images" / f"base-{key()}.tar"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    say(f"making the base file system, Debian {SUITE} with Python (about half a minute, once)")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".base-") as scratch:
        made, log = Path(scratch) / "base.tar", Path(scratch) / "log"
        excluded = [f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT]
        command = ["mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", *excluded]
        ticker = Ticker("base file system")
        if commands.watched([*command, SUITE, made], log, ticker):
            raise Failure(f"mmdebstrap failed\n{tail(log, 30)}")
        made.rename(target)
    return target
