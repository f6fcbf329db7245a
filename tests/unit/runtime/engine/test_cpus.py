from pathlib import Path

import pytest
from docparser_runtime.engine.cpus import usable_cpus


def control_group(root: Path, membership: str, files: dict[str, str]) -> Path:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(membership)
    for name, content in files.items():
        path = root / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


@pytest.mark.parametrize(
    ("membership", "files", "cpus"),
    [
        pytest.param("0::/\n", {"cpu.max": "max 100000"}, 64, id="no quota"),
        pytest.param("0::/\n", {"cpu.max": "150000 100000"}, 2, id="1500m"),
        pytest.param("0::/\n", {"cpu.max": "10000 100000"}, 1, id="100m"),
        pytest.param("0::/pod/app\n", {"pod/cpu.max": "200000 100000"}, 2, id="of a parent"),
        pytest.param("0::/not/here\n", {"cpu.max": "300000 100000"}, 3, id="path of the host"),
        pytest.param(
            "4:cpu,cpuacct:/\n",
            {"cpu/cpu.cfs_quota_us": "250000", "cpu/cpu.cfs_period_us": "100000"},
            3,
            id="version 1",
        ),
        pytest.param(
            "4:cpu,cpuacct:/\n",
            {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"},
            64,
            id="version 1, no quota",
        ),
    ],
)
def test_usable_cpus(tmp_path: Path, membership: str, files: dict[str, str], cpus: int) -> None:
    root = control_group(tmp_path, membership, files)
    assert usable_cpus(root, affinity=64) == cpus


def test_without_control_groups_the_affinity_counts(tmp_path: Path) -> None:
    assert usable_cpus(tmp_path, affinity=5) == 5
    assert usable_cpus() >= 1
