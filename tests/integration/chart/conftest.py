import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from localcluster import paths
from localcluster.controlplane import ASSETS_ENV, ControlPlane
from support import helm
from support.helm import SYSTEM, Helm
from support.kubectl import Kubectl


@pytest.fixture(scope="session")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """Helm with the chart, without a cluster."""
    return helm.pinned(tmp_path_factory.mktemp("helm"))


@pytest.fixture
def copy(chart: Helm, tmp_path: Path) -> Helm:
    """The same with a copy of the chart that a test may change."""
    return chart.of(shutil.copytree(chart.chart, tmp_path / chart.chart.name))


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """kubectl for a control plane of its own, without the CustomResourceDefinition."""
    with ControlPlane(tmp_path_factory.mktemp("bare"), controllers=True) as running:
        program = Path(os.environ.get(ASSETS_ENV) or paths.binaries()) / "kubectl"
        known = program if program.exists() else paths.binaries() / "kubectl"
        yield Kubectl(str(known), running.kubeconfig, SYSTEM)


@pytest.fixture
def installed(chart: Helm, bare: Kubectl) -> Helm:
    """Helm for that control plane."""
    return replace(chart, kubeconfig=bare.kubeconfig)


def as_service_account(admin: Kubectl, account: str, folder: Path) -> Kubectl:
    """Return kubectl with the rights of a service account of its namespace."""
    access = yaml.safe_load(admin.kubeconfig.read_text())
    token = admin.run("create", "token", account, "--duration=1h").strip()
    access["users"] = [{"name": user["name"], "user": {"token": token}} for user in access["users"]]
    target = folder / f"{account}.kubeconfig"
    target.write_text(yaml.safe_dump(access))
    return replace(admin, kubeconfig=target)
