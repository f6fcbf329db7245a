"""New tasks get their tracks in exact shares, and none waits for a track that nobody reads."""

import io
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from docparser_api.names import ENV_DATABASE_URL, ENV_SPLIT_FILE, ENV_STORE_URL
from docparser_api.split import Split
from docparser_runtime import logs
from docparser_runtime.config import ConfigError
from docparser_runtime.task_metrics import TaskMetrics
from docparser_runtime.tasks.keeping import Keeping, keeping
from docparser_runtime.tasks.tracks import Tracks, tracks_of
from prometheus_client import CollectorRegistry
from pydantic import ValidationError
from unit.runtime.conftest import kept_in

STARTS = [start / 40 for start in range(40)]


def given(weights: dict[str, int], count: int, start: float = 0.0) -> list[str]:
    tracks = Tracks(Split(tracks=weights), start, adopts=True)
    return [tracks.next() for _ in range(count)]


@pytest.mark.parametrize("share", [1, 5, 20, 50, 99])
def test_of_a_thousand_tasks_a_track_gets_its_share(share: int) -> None:
    for start in STARTS:
        counts = Counter(given({"canary": share, "stable": 100 - share}, 1000, start))
        assert abs(counts["canary"] - 10 * share) <= 3
        assert counts["canary"] + counts["stable"] == 1000


def test_three_tracks_get_theirs() -> None:
    counts = Counter(given({"a": 1, "b": 2, "c": 7}, 1000))
    wanted = {"a": 100, "b": 200, "c": 700}
    assert all(abs(counts[track] - count) <= 3 for track, count in wanted.items())


def test_no_client_with_a_turn_of_its_own_gets_another_share() -> None:
    tracks = given({"canary": 5, "stable": 95}, 20_000)
    for period in range(2, 21):
        for turn in range(period):
            part = tracks[turn::period]
            assert abs(part.count("canary") / len(part) - 0.05) < 0.01, (period, turn)


def test_a_canary_gets_its_first_task_soon() -> None:
    for start in STARTS:
        tracks = given({"canary": 5, "stable": 95}, 1000, start)
        turns = [number for number, track in enumerate(tracks) if track == "canary"]
        assert turns[0] < 34
        assert max(later - earlier for earlier, later in pairwise(turns)) <= 34


def test_a_track_without_a_share_gets_nothing() -> None:
    for start in STARTS:
        assert set(given({"a": 0, "b": 3, "z": 0}, 100, start)) == {"b"}


@pytest.mark.parametrize("body", [{}, {"tracks": {}}, {"tracks": {"a": 0}}, {"tracks": {"a": -1}}])
def test_a_split_that_gives_nothing_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Split.model_validate(body)


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


Open = Callable[[Keeping], tuple[Tracks, Callable[[], None]]]


@pytest.fixture
def opened(registry: CollectorRegistry) -> Open:
    """Return a function that returns the tracks of a place, and a look at its file."""
    metrics, log = TaskMetrics(registry), logs.create(io.StringIO(), "info")

    def open_tracks(kept: Keeping) -> tuple[Tracks, Callable[[], None]]:
        tracks, watched = tracks_of(kept, metrics, log, start=lambda: 0.0)
        assert watched is not None
        return tracks, watched.look

    return open_tracks


def split_in(file: Path, **weights: int) -> None:
    """Replace the file, as Kubernetes does."""
    new = file.with_suffix(".new")
    new.write_text(json.dumps({"tracks": weights}))
    new.rename(file)


def weight(registry: CollectorRegistry, track: str) -> float | None:
    return registry.get_sample_value("docparser_split_weight", {"track": track})


def test_a_changed_file_is_used_and_told(
    tmp_path: Path, opened: Open, registry: CollectorRegistry
) -> None:
    file = tmp_path / "split.json"
    split_in(file, old=100, new=0)
    tracks, look = opened(replace(kept_in(tmp_path, ()), split_file=file))
    assert {tracks.next() for _ in range(50)} == {"old"}
    assert (weight(registry, "old"), weight(registry, "new")) == (100, 0)
    split_in(file, new=100)
    look()
    assert {tracks.next() for _ in range(50)} == {"new"}
    assert (weight(registry, "old"), weight(registry, "new")) == (None, 100)
    assert tracks.adopts


@pytest.mark.parametrize("content", ["", "{", '{"tracks": {"a": 0}}', '{"trakcs": {"a": 1}}'])
def test_a_file_that_cannot_be_used_changes_nothing(
    tmp_path: Path, opened: Open, content: str
) -> None:
    file = tmp_path / "split.json"
    split_in(file, old=1)
    tracks, look = opened(replace(kept_in(tmp_path, ()), split_file=file))
    file.write_text(content)
    look()
    assert tracks.shares == {"old": 1}
    file.unlink()
    look()
    assert tracks.shares == {"old": 1}


@pytest.mark.parametrize("content", [None, "{"])
def test_a_process_does_not_begin_without_its_split(
    tmp_path: Path, opened: Open, content: str | None
) -> None:
    file = tmp_path / "split.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match=ENV_SPLIT_FILE):
        opened(replace(kept_in(tmp_path, ()), split_file=file))


def test_without_a_file_all_tasks_get_the_track_of_the_process(registry: CollectorRegistry) -> None:
    kept = Keeping("sqlite:////a", "file:///b", "mine")
    log = logs.create(io.StringIO(), "info")
    tracks, watched = tracks_of(kept, TaskMetrics(registry), log)
    assert (tracks.next(), watched, tracks.adopts) == ("mine", None, False)
    assert weight(registry, "mine") is None


def test_the_file_is_named_by_its_whole_path(tmp_path: Path) -> None:
    environ = {ENV_DATABASE_URL: "sqlite:////a", ENV_STORE_URL: "file:///b"}
    kept = keeping(environ | {ENV_SPLIT_FILE: str(tmp_path / "split.json")})
    assert kept is not None
    assert kept.split_file == tmp_path / "split.json"
    with pytest.raises(ConfigError, match="absolute"):
        keeping(environ | {ENV_SPLIT_FILE: "split.json"})
