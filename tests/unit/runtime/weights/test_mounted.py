"""Weights on volumes, images and read-only caches: used where they lie."""

import errno
import io
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from docparser_runtime import logs
from docparser_runtime.engine.base import EngineLoadError
from docparser_runtime.weights import readying
from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.directory import ready_directory
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.fetch import Fetching
from docparser_runtime.weights.marker import MARKER
from unit.runtime.weights.model import BIG, TOTAL, Pod, fill

CLAIM = {
    "source": {"persistentVolumeClaim": {"claimName": "weights", "path": "deep/er"}},
    "cache": {},
}
IMAGE = {
    "source": {"image": {"reference": "example.org/weights:1", "path": "deep/er"}},
    "cache": {},
}
READ_ONLY = {
    "cache": {"persistentVolumeClaim": {"claimName": "cache", "accessMode": "ReadOnlyMany"}}
}


@pytest.fixture(params=[CLAIM, IMAGE, READ_ONLY], ids=["claim", "image", "read-only cache"])
def spec(request: pytest.FixtureRequest, pod: Pod) -> dict[str, Any]:
    """Return each kind of place in turn; the weights lie there already."""
    fill(root_of(pod, request.param))
    return dict(request.param)


def root_of(pod: Pod, spec: dict[str, Any]) -> Path:
    return pod.places.root(pod.weights(**spec))


def test_they_are_verified_and_the_pod_notes_it(pod: Pod, spec: dict[str, Any]) -> None:
    outcome = pod.fetch(**spec)
    assert (outcome.reused, outcome.marker.size) == (False, TOTAL)
    assert ready_directory(pod.weights(**spec), pod.places) == root_of(pod, spec)
    assert not (root_of(pod, spec) / MARKER).exists()
    assert pod.server.requests == []
    assert pod.fetch(**spec).reused


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("short", Code.FILE_SHORT),
        ("long", Code.DIGEST_MISMATCH),
        ("changed", Code.DIGEST_MISMATCH),
        ("lacking", Code.FILE_MISSING),
        ("link out", Code.FILE_MISSING),
        ("directory", Code.FILE_MISSING),
    ],
)
def test_what_is_wrong_is_named(
    pod: Pod, spec: dict[str, Any], damage: str, code: Code, tmp_path: Path
) -> None:
    victim = root_of(pod, spec) / BIG
    content = victim.read_bytes()
    if damage == "short":
        os.truncate(victim, 5)
    elif damage == "long":
        victim.write_bytes(content + b"x")
    elif damage == "changed":
        victim.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    else:
        victim.unlink()
    if damage == "link out":
        (tmp_path / "out").write_bytes(content)
        victim.symlink_to(tmp_path / "out")
    elif damage == "directory":
        victim.mkdir()
    with pytest.raises(WeightsError) as refusal:
        pod.fetch(**spec)
    assert (refusal.value.code, refusal.value.file) == (code, BIG)
    assert not (pod.places.check / MARKER).exists()
    with pytest.raises(EngineLoadError, match="never verified"):
        ready_directory(pod.weights(**spec), pod.places)


def test_an_empty_place_is_told(pod: Pod, spec: dict[str, Any]) -> None:
    shutil.rmtree(root_of(pod, spec))
    with pytest.raises(WeightsError, match="is not there") as refusal:
        pod.fetch(**spec)
    assert refusal.value.code == Code.FILE_MISSING


def test_without_a_manifest_nothing_is_trusted(pod: Pod, spec: dict[str, Any]) -> None:
    (root_of(pod, spec) / "docparser-manifest.json").unlink()
    with pytest.raises(WeightsError, match="cannot be read") as refusal:
        pod.fetch(**spec)
    assert refusal.value.code == Code.MANIFEST_INVALID


def test_files_that_the_manifest_does_not_pin_are_told(pod: Pod, spec: dict[str, Any]) -> None:
    (root_of(pod, spec) / "modeling.py").touch()
    pod.fetch(**spec)
    assert "weights_files_unlisted" in pod.events()


def test_there_must_be_a_place_for_the_note(pod: Pod, spec: dict[str, Any]) -> None:
    pod.places.check.rmdir()
    with pytest.raises(WeightsError, match="to note it") as refusal:
        pod.fetch(**spec)
    assert refusal.value.code == Code.CACHE_READ_ONLY


def test_a_marker_that_somebody_put_on_the_volume_counts_for_nothing(pod: Pod) -> None:
    fill(root_of(pod, CLAIM))
    pod.fetch(**CLAIM)
    shutil.move(pod.places.check / MARKER, root_of(pod, CLAIM) / MARKER)
    with pytest.raises(EngineLoadError, match="never verified"):
        ready_directory(pod.weights(**CLAIM), pod.places)


def test_a_path_out_of_the_volume_is_refused(pod: Pod, tmp_path: Path) -> None:
    pod.places.source.mkdir()
    (pod.places.source / "link").symlink_to(tmp_path)
    source = {"persistentVolumeClaim": {"claimName": "weights", "path": "link"}}
    with pytest.raises(WeightsError, match="leads out of the volume"):
        pod.fetch(source=source, cache={})
    with pytest.raises(EngineLoadError, match="leads out of the volume"):
        ready_directory(pod.weights(source=source, cache={}), pod.places)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_cache_that_turns_out_read_only_is_used_as_it_is(pod: Pod, number: int) -> None:
    how = Fetching(logs.create(io.StringIO(), "info"), Credentials())
    error = OSError(number, os.strerror(number))
    with pytest.raises(WeightsError, match="cannot be written to") as refusal:
        readying._without_writing(pod.weights(), pod.places, how, error)
    assert refusal.value.code == Code.CACHE_READ_ONLY
    fill(pod.target)
    assert readying._without_writing(pod.weights(), pod.places, how, error).marker.size == TOTAL


def test_another_manifest_is_not_ready(pod: Pod) -> None:
    pod.fetch()
    os.utime(pod.target / BIG, ns=(1, 1))
    with pytest.raises(EngineLoadError, match="changed after it was verified"):
        ready_directory(pod.weights(), pod.places)
    other = pod.weights(manifest={"sha256": pod.sha256[:16] + "0" * 48})
    with pytest.raises(EngineLoadError, match="verified against manifest"):
        ready_directory(other, pod.places)
    (pod.places.check / MARKER).write_text("{")
    with pytest.raises(EngineLoadError, match="cannot be read"):
        ready_directory(pod.weights(), pod.places)


def test_no_cache_is_told(pod: Pod) -> None:
    pod.places.cache.rmdir()
    with pytest.raises(WeightsError, match="there is no directory") as refusal:
        pod.fetch()
    assert refusal.value.code == Code.STORAGE_FAILED
