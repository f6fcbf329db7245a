import shutil
from pathlib import Path

import pytest
from support import helm
from support.helm import Helm


@pytest.fixture(scope="session")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """Helm with the chart, without a cluster."""
    return helm.pinned(tmp_path_factory.mktemp("helm"))


@pytest.fixture
def copy(chart: Helm, tmp_path: Path) -> Helm:
    """The same with a copy of the chart that a test may change."""
    return chart.of(shutil.copytree(chart.chart, tmp_path / chart.chart.name))
