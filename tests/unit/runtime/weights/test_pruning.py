import os
import subprocess
import sys
from pathlib import Path

import pytest
from docparser_runtime import logs
from docparser_runtime.weights.errors import WeightsError
from docparser_runtime.weights.places import Places
from docparser_runtime.weights.pruning import Pruned, Pruning

OLD = 1_000_000.0
NOW = OLD + 4000
KEPT, IDLE, YOUNG, BUSY = (f"v{n}-{str(n) * 16}" for n in range(1, 5))

HOLDER = """
import sys
from pathlib import Path
from docparser_runtime.weights import locks
with locks.held_if_free(Path(sys.argv[1])) as held:
    print(held, flush=True)
    sys.stdin.read()
"""


def tree(cache: Path, name: str, at: float = OLD) -> None:
    (cache / name / "sub").mkdir(parents=True)
    for file in ("a", "sub/b", ".docparser-verified.json"):
        (cache / name / file).write_bytes(b"x" * 100)
        os.utime(cache / name / file, (at, at))
    os.utime(cache / name, (at, at))


def pruning(**changes: float) -> Pruning:
    age = changes.get("minimum_age_seconds", 3600)
    return Pruning({KEPT}, age, NOW, logs.create(sys.stderr, "error"))


def names(cache: Path) -> set[str]:
    return {path.name for path in cache.iterdir()}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    for name in (KEPT, IDLE, f".{IDLE}.partial", f".{IDLE}.untrusted", f".{KEPT}.partial"):
        tree(tmp_path, name)
    tree(tmp_path, YOUNG, NOW - 3599)
    (tmp_path / f".{IDLE}.lock").touch()
    for stranger in ("lost+found", "other", "v1", ".snapshot", "v1-0123"):
        tree(tmp_path, stranger)
    return tmp_path


def test_only_old_versions_that_nobody_keeps_go(cache: Path) -> None:
    before = names(cache)
    pruned = pruning().prune(Places(cache))
    assert pruned == Pruned((IDLE,), 9 * 100)
    gone = {IDLE, f".{IDLE}.partial", f".{IDLE}.untrusted", f".{IDLE}.lock"}
    assert names(cache) == before - gone


def test_what_is_being_fetched_stays(cache: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(cache / f".{IDLE}.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert pruning().prune(Places(cache)) == Pruned((), 0)
        holder.kill()
    assert pruning().prune(Places(cache)).versions == (IDLE,)


def test_a_young_file_keeps_its_partial_directory(cache: Path) -> None:
    os.utime(cache / f".{IDLE}.partial" / "sub" / "b", (NOW, NOW))
    assert pruning().prune(Places(cache)) == Pruned((), 0)


def test_without_an_age_all_others_go(cache: Path) -> None:
    assert pruning(minimum_age_seconds=0).prune(Places(cache)).versions == (IDLE, YOUNG)


def test_a_link_is_left_alone(cache: Path, tmp_path: Path) -> None:
    (cache / BUSY).symlink_to(cache / "other")
    pruning().prune(Places(cache))
    assert (cache / BUSY / "a").exists()


def test_no_cache_is_told(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="No such file"):
        pruning().prune(Places(tmp_path / "nowhere"))
