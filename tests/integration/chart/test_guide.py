"""The commands of the guide to installation, one after the other, on a real API server."""

import os
import subprocess
from pathlib import Path

from support.documents import blocks
from support.helm import REPOSITORY, Helm
from support.kubectl import Kubectl

GUIDE = REPOSITORY / "docs/installation.md"
SECONDS = 60


def lines() -> list[str]:
    """Return the commands, in the order in which they stand."""
    return [
        line.removeprefix("$ ") for block in blocks(GUIDE, "console") for line in block.splitlines()
    ]


def test_every_command_works(bare: Kubectl, installed: Helm, tmp_path: Path) -> None:
    programs = f"{installed.program.parent}:{Path(bare.program).parent}"
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "KUBECONFIG": str(bare.kubeconfig),
        **{f"HELM_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "CONFIG", "DATA")},
    }
    # Commands name files of the repository, and one writes a file where it runs.
    for folder in ("charts", "crds", "examples"):
        (tmp_path / folder).symlink_to(REPOSITORY / folder)
    for line in lines():
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}{done.stderr}"
    assert (tmp_path / "before.yaml").read_text().count("kind: DocParserDeployment\n") == 1
    assert bare.get("crd", "docparserdeployments.docparser.dev") is None
