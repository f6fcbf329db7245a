import io
import json
import logging

import pytest
from docparser_runtime import logs


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def a_library(stream: io.StringIO) -> logging.Logger:
    library = logging.getLogger("library")
    library.handlers = [logs.library_handler(stream)]
    library.propagate = False
    return library


@pytest.mark.parametrize(
    ("level", "written"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_events_are_json_from_the_level_on(level: str, written: list[str]) -> None:
    stream = io.StringIO()
    log = logs.create(stream, level)
    for write in (log.debug, log.info, log.warning, log.error):
        write("event", number=1)
    assert [line["level"] for line in lines(stream)] == written
    assert {(line["event"], line["number"]) for line in lines(stream)} == {("event", 1)}


def test_exceptions_appear_without_their_message() -> None:
    stream = io.StringIO()
    library = a_library(stream)
    log = logs.create(stream, "info")
    try:
        raise ValueError("canary")  # noqa: TRY301 (to have a traceback)
    except ValueError:
        log.exception("ours")
        library.exception("theirs")
    ours, theirs = lines(stream)
    assert (ours["event"], ours["error"], ours["level"]) == ("ours", "ValueError", "error")
    assert (theirs["event"], theirs["error"], theirs["logger"]) == (
        "theirs",
        "ValueError",
        "library",
    )
    assert "test_logs.py" in str(ours["trace"])
    assert "canary" not in stream.getvalue()


def test_lines_of_a_request_bear_its_id() -> None:
    stream = io.StringIO()
    library = a_library(stream)
    log = logs.create(stream, "info")
    with logs.of_request("mine"):
        log.info("ours")
        library.warning("theirs")
    log.info("afterwards")
    assert [line.get("request_id") for line in lines(stream)] == ["mine", "mine", None]
