from collections.abc import Callable
from pathlib import Path

import pytest
from localcluster import backend
from localcluster.console import Failure
from localcluster.kind import KindCluster
from localcluster.local import LocalCluster
from localcluster.paths import State

# Stands in for kind: notes its arguments, keeps one cluster, writes the kubeconfig it is asked for.
KIND = """\
#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/calls"
case "$1 $2" in
"create cluster") touch "$here/cluster"; rm -f "$here/half-made" ;;
"delete cluster") rm -f "$here/cluster" ;;
"get clusters") if [ -e "$here/cluster" ]; then echo docparser; else echo none >&2; fi ;;
"export kubeconfig") [ ! -e "$here/half-made" ] && echo access > "$4" ;;
esac
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    for name, text in {"kind": KIND, "docker": "#!/bin/sh\n"}.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("DOCPARSER_CLUSTER_STATE", str(tmp_path / "state"))
    monkeypatch.delenv(backend.CHOICE_ENV, raising=False)

    def recorded() -> list[str]:
        words = [line.split() for line in (tmp_path / "bin" / "calls").read_text().splitlines()]
        return [" ".join(line[:2]) for line in words]

    return recorded


@pytest.fixture
def cluster(tmp_path: Path) -> KindCluster:
    return KindCluster(State(tmp_path / "state"))


def test_an_absent_cluster_is_created_a_present_one_reused(
    cluster: KindCluster, calls: Callable[[], list[str]]
) -> None:
    cluster.up()
    cluster.up()
    assert calls().count("create cluster") == 1
    assert cluster.state.kubeconfig.stat().st_mode & 0o777 == 0o600
    assert cluster.running()


def test_a_half_made_cluster_is_replaced(
    cluster: KindCluster, calls: Callable[[], list[str]], tmp_path: Path
) -> None:
    cluster.up()
    (tmp_path / "bin" / "half-made").touch()
    cluster.up()
    assert calls().count("delete cluster") == 1
    assert calls().count("create cluster") == 2
    assert cluster.state.kubeconfig.exists()


def test_down_deletes_the_cluster_and_its_files(
    cluster: KindCluster, calls: Callable[[], list[str]]
) -> None:
    cluster.up()
    cluster.down()
    assert calls()[-1] == "delete cluster"
    assert not cluster.state.root.exists()
    assert cluster.status() == ["kind cluster: none"]


def test_images_are_loaded_into_a_running_cluster_only(
    cluster: KindCluster, calls: Callable[[], list[str]]
) -> None:
    with pytest.raises(Failure, match="localcluster up"):
        cluster.load([Path("a.tar")])
    cluster.up()
    cluster.load([Path("a.tar"), Path("b.tar")])
    assert calls().count("load image-archive") == 2


@pytest.mark.usefixtures("calls")
def test_kind_is_taken_where_it_can_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert isinstance(backend.chosen(), KindCluster)
    monkeypatch.setenv(backend.CHOICE_ENV, "local")
    assert isinstance(backend.chosen(), LocalCluster)
    monkeypatch.setenv(backend.CHOICE_ENV, "")
    (tmp_path / "bin" / "docker").write_text("#!/bin/sh\nexit 1\n")
    assert isinstance(backend.chosen(), LocalCluster)
