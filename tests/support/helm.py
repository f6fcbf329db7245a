"""Helm as a user runs it, with the chart of this checkout."""

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from localcluster import build

REPOSITORY = Path(__file__).parents[2]
CHART = REPOSITORY / "charts/docparser-operator"
RELEASE = "docparser-operator"
SYSTEM = "docparser-system"

Manifest = dict[str, Any]


class HelmError(RuntimeError):
    """helm ended with an error; the message holds its words."""


@dataclass(frozen=True)
class Helm:
    """Runs helm, with its own files in one folder.

    Attributes:
        program: path of the binary.
        home: folder for what it writes on this machine.
        chart: the chart that is rendered and installed.
        kubeconfig: path of the access file; None where no cluster is needed.
    """

    program: Path
    home: Path
    chart: Path = CHART
    kubeconfig: Path | None = None

    def of(self, chart: Path) -> "Helm":
        """Return the same for another chart."""
        return replace(self, chart=chart)

    def run(self, *args: str, timeout_seconds: float = 120) -> str:
        """Return what helm prints.

        Raises:
            HelmError: with what it printed as error.
        """
        own = ("CACHE", "CONFIG", "DATA")
        done = subprocess.run(
            [self.program, *args],
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            check=False,
            env={
                **os.environ,
                **{f"HELM_{name}_HOME": str(self.home / name.lower()) for name in own},
                "KUBECONFIG": str(self.kubeconfig or os.devnull),
            },
        )
        if done.returncode:
            raise HelmError(f"helm {' '.join(args)}: {done.stderr.strip()}\n{done.stdout}")
        return done.stdout

    def rendered(self, *options: str) -> list[Manifest]:
        """Return the objects that the chart makes of its values and `options`."""
        text = self.run("template", RELEASE, str(self.chart), "--namespace", SYSTEM, *options)
        return [document for document in yaml.safe_load_all(text) if document]


def pinned(home: Path) -> Helm:
    """Return the Helm that this checkout pins; its first call compiles it."""
    return Helm(build.ensure_helm(), home)


def of_kind(objects: list[Manifest], kind: str) -> list[Manifest]:
    """Return the objects of one kind."""
    return [found for found in objects if found["kind"] == kind]


def one(objects: list[Manifest], kind: str) -> Manifest:
    """Return the only object of a kind."""
    (found,) = of_kind(objects, kind)
    return found


def plain_objects(file: str) -> list[Manifest]:
    """Return the objects of a file of the plain installation."""
    text = (REPOSITORY / "charts/kustomize/default" / file).read_text()
    return list(yaml.safe_load_all(text))
