"""Fetching into a cache, from a real server on the loopback."""

import json
import os
from pathlib import Path

import pytest
from docparser_api.names import WEIGHTS_MANIFEST_FILE
from docparser_runtime.weights.directory import ready_directory
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.marker import MARKER
from support.file_server import Fault, Request
from unit.runtime.weights.model import BIG, RANGE, SIZES, TOTAL, Pod


def wanted(served: Path) -> dict[str, bytes]:
    return {name: (served / name).read_bytes() for name in SIZES}


def test_fetched_weights_are_complete_marked_and_ready(pod: Pod, served: Path) -> None:
    outcome = pod.fetch()
    assert (outcome.reused, outcome.marker.size) == (False, TOTAL)
    assert pod.files() == wanted(served)
    assert ready_directory(pod.weights(), pod.places) == pod.target
    # Nothing else is left in the cache.
    names = {path.name for path in pod.places.cache.iterdir()}
    assert names == {pod.target.name, f".{pod.target.name}.lock"}
    assert {path.name for path in pod.target.iterdir()} == {
        BIG,
        "sub",
        "empty.bin",
        WEIGHTS_MANIFEST_FILE,
        MARKER,
    }


def test_a_large_file_comes_in_ranges(pod: Pod) -> None:
    pod.fetch()
    ranges = sorted((one.start, one.end) for one in pod.server.asked(BIG))
    size = SIZES[BIG]
    assert ranges == [(at, min(at + RANGE, size)) for at in range(0, size, RANGE)]


def test_the_second_pod_fetches_nothing(pod: Pod) -> None:
    pod.fetch()
    sent = pod.server.total_sent
    again = pod.fetch()
    assert again.reused
    assert pod.server.total_sent == sent


def test_the_pods_own_note_is_written_too(pod: Pod) -> None:
    pod.fetch()
    own = json.loads((pod.places.check / MARKER).read_text())
    assert own["manifest_sha256"] == pod.sha256


@pytest.mark.parametrize("damage", ["no marker", "wrong marker", "touched", "changed", "lacking"])
def test_a_directory_that_nobody_vouches_for_is_read_again(
    pod: Pod, served: Path, damage: str
) -> None:
    pod.fetch()
    sent = pod.server.total_sent
    marker, victim = pod.target / MARKER, pod.target / BIG
    if damage == "no marker":
        marker.unlink()
    elif damage == "wrong marker":
        marker.write_text(marker.read_text().replace(pod.sha256, "0" * 64))
    elif damage == "touched":
        os.utime(victim, ns=(1, 1))
    elif damage == "changed":
        victim.write_bytes(b"x" * SIZES[BIG])
    else:
        victim.unlink()
    outcome = pod.fetch()
    assert (outcome.reused, pod.files()) == (False, wanted(served))
    assert "weights_directory_not_trusted" in pod.events()
    manifest_size = (served / WEIGHTS_MANIFEST_FILE).stat().st_size
    fetched_again = SIZES[BIG] if damage in ("changed", "lacking") else 0
    assert pod.server.total_sent - sent == fetched_again + manifest_size


def test_a_wrong_file_is_fetched_once_more(pod: Pod, served: Path) -> None:
    wrong = [Fault(content=b"x" * SIZES[BIG])]

    def first_only(request: Request) -> Fault | None:
        return wrong.pop() if request.path.endswith(BIG) and wrong else None

    pod.server.fault = first_only
    pod.fetch()
    assert pod.files() == wanted(served)
    assert "weights_file_wrong" in pod.events()


def test_a_file_that_stays_wrong_is_refused_and_not_kept(pod: Pod) -> None:
    pod.server.fault = lambda request: (
        Fault(content=b"x" * SIZES[BIG]) if request.path.endswith(BIG) else None
    )
    with pytest.raises(WeightsError) as refusal:
        pod.fetch()
    assert (refusal.value.code, refusal.value.file) == (Code.DIGEST_MISMATCH, BIG)
    assert not pod.target.exists()
    partial = pod.places.partial(pod.target.name)
    assert not (partial / BIG).exists()
    # Each range was fetched twice and not more often.
    assert len(pod.server.asked(BIG)) == 2 * 6


@pytest.mark.parametrize("size", [SIZES[BIG] - 1, 3 * RANGE, 1])
def test_a_file_that_is_too_short_at_the_source(pod: Pod, served: Path, size: int) -> None:
    os.truncate(served / BIG, size)
    with pytest.raises(WeightsError) as refusal:
        pod.fetch()
    assert (refusal.value.code, refusal.value.file) == (Code.FILE_SHORT, BIG)


def test_a_full_disk_is_refused_before_anything_is_fetched(pod: Pod) -> None:
    with pytest.raises(WeightsError) as refusal:
        pod.having(free_bytes=TOTAL).fetch()
    assert refusal.value.code == Code.DISK_FULL
    assert f"{TOTAL} bytes free" in refusal.value.message
    assert pod.server.asked(BIG) == []


def test_a_limit_of_the_pods_own_directory_counts(pod: Pod) -> None:
    with pytest.raises(WeightsError, match="sizeLimit allows 16777216 bytes") as refusal:
        pod.fetch(cache={"sizeLimit": "16Mi"})
    assert refusal.value.code == Code.DISK_FULL


def test_the_manifest_may_come_from_a_config_map(pod: Pod, served: Path) -> None:
    (served / WEIGHTS_MANIFEST_FILE).rename(pod.places.manifest)
    reference = {"name": "manifests", "key": "v1"}
    pod.fetch(manifest={"sha256": pod.sha256, "configMapKeyRef": reference})
    assert pod.files() == wanted(served)


def test_another_manifest_than_the_spec_names_is_refused(pod: Pod) -> None:
    other = "1" * 64
    with pytest.raises(WeightsError, match=other) as refusal:
        pod.fetch(manifest={"sha256": other})
    assert (refusal.value.code, refusal.value.file) == (
        Code.MANIFEST_INVALID,
        WEIGHTS_MANIFEST_FILE,
    )
