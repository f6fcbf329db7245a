import json
from pathlib import Path

import pytest
from docparser_api.names import WAKE_UP_FILE
from docparser_api.wakeup import promised
from docparser_runtime.tasks.pace import Progress
from docparser_runtime.tasks.wakeup import wake_up_of


@pytest.mark.parametrize(
    ("pages", "rate", "expected"),
    [
        pytest.param(1000, 10.0, 10, id="a tenth of what waits"),
        pytest.param(1001, 10.0, 11, id="rather a little later"),
        pytest.param(3, 10.0, 1, id="never at once"),
        pytest.param(10**9, 1.0, 3600, id="an hour at most"),
        pytest.param(1000, 0.0, 30, id="nothing was read lately"),
    ],
)
def test_seconds_until_room(pages: int, rate: float, expected: int) -> None:
    assert Progress(pages, rate).seconds_until_room() == expected


def test_all_takes_longer_than_a_part() -> None:
    assert Progress(1000, 10.0).seconds_until_read() == 100


def test_where_nobody_reads_it_takes_what_workers_take_to_come() -> None:
    asleep = Progress(1000, 0.0, wake_up_seconds=70)
    assert (asleep.seconds_until_room(), asleep.seconds_until_read()) == (70, 70)
    awake = Progress(1000, 10.0, wake_up_seconds=70)
    assert awake.seconds_until_room() == 10


@pytest.mark.parametrize(("seconds", "told"), [(0, 10), (1, 10), (10, 10), (61, 70)])
def test_a_promise_is_coarse_and_never_too_short(seconds: int, told: int) -> None:
    assert promised(seconds).wake_up_seconds == told


@pytest.mark.parametrize("content", [None, "", "{}", '{"wakeUpSeconds": 0}', "[1]"])
def test_a_promise_that_cannot_be_read_is_none(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / Path(WAKE_UP_FILE).name).write_text(content)
    assert wake_up_of(tmp_path / "split.json")() is None


def test_a_promise_is_read_as_it_is_now(tmp_path: Path) -> None:
    read, file = wake_up_of(tmp_path / "split.json"), tmp_path / Path(WAKE_UP_FILE).name
    for seconds in (70, 90):
        file.write_text(json.dumps({"wakeUpSeconds": seconds}))
        assert read() == seconds
    assert wake_up_of(None)() is None
