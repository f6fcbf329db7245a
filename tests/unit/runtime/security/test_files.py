import asyncio
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docparser_runtime import logs
from docparser_runtime.security.files import ReloadError, WatchedFiles
from unit.runtime.doubles import eventually


class Reader:
    def __init__(self, *files: Path) -> None:
        self.stream = io.StringIO()
        self.loaded: list[str] = []
        self.failure: Exception | None = None
        self._files = files
        self.watched = WatchedFiles("things", files, self.load, logs.create(self.stream, "info"))

    def load(self) -> None:
        if self.failure is not None:
            raise self.failure
        self.loaded.append("".join(file.read_text() for file in self._files))

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


def replace(file: Path, text: str) -> None:
    new = file.with_suffix(".new")
    new.write_text(text)
    new.rename(file)


def append(file: Path, text: str) -> None:
    file.write_text(text)


@pytest.mark.parametrize("change", [replace, append])
def test_a_change_is_seen_once(tmp_path: Path, change: Callable[[Path, str], None]) -> None:
    file = tmp_path / "file"
    file.write_text("1")
    reader = Reader(file)
    reader.watched.look()
    change(file, "22")
    for _ in range(3):
        reader.watched.look()
    assert reader.loaded == ["22"]
    assert [line["event"] for line in reader.events()] == ["things_reloaded"]


def test_a_change_of_the_link_that_kubernetes_swaps_is_seen(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        for file in ("a", "b"):
            (tmp_path / name / file).write_text(name[0])
            os.utime(tmp_path / name / file, (1, 1))
    (tmp_path / "..data").symlink_to("first")
    for file in ("a", "b"):
        (tmp_path / file).symlink_to(f"..data/{file}")
    reader = Reader(tmp_path / "a", tmp_path / "b")
    (tmp_path / "..new").symlink_to("second")
    (tmp_path / "..new").rename(tmp_path / "..data")
    reader.watched.look()
    assert reader.loaded == ["ss"]


@pytest.mark.parametrize("failure", [ReloadError("line 1"), PermissionError(13, "line 1", "f")])
def test_what_cannot_be_used_is_told_once_and_tried_again_when_it_changes(
    tmp_path: Path, failure: Exception
) -> None:
    file = tmp_path / "file"
    file.write_text("1")
    reader = Reader(file)
    reader.failure = failure
    file.write_text("22")
    reader.watched.look()
    reader.watched.look()
    reader.failure = None
    file.write_text("333")
    reader.watched.look()
    events = [(line["event"], line["level"]) for line in reader.events()]
    assert events == [("things_not_reloaded", "error"), ("things_reloaded", "info")]
    assert reader.events()[0]["reason"] == "line 1"
    assert reader.loaded == ["333"]


def test_a_failure_that_nobody_thought_of_does_not_end_the_watch(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("1")
    reader = Reader(file)
    reader.failure = RuntimeError("canary")
    file.write_text("22")
    reader.watched.look()
    (line,) = reader.events()
    assert (line["event"], line["error"]) == ("things_not_reloaded", "RuntimeError")
    assert "canary" not in reader.stream.getvalue()


def test_a_file_that_is_gone_and_comes_back_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("1")
    reader = Reader(file)
    file.unlink()
    reader.watched.look()
    file.write_text("22")
    reader.watched.look()
    assert [line["event"] for line in reader.events()] == ["things_not_reloaded", "things_reloaded"]
    assert reader.loaded == ["22"]


async def test_it_looks_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("1")
    reader = Reader(file)
    watching = asyncio.create_task(reader.watched.watch(every_seconds=0.01))
    file.write_text("22")
    await eventually(lambda: reader.loaded == ["22"])
    watching.cancel()
