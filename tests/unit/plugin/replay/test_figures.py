import pytest
from docparser_kubectl.replay.chart import COLUMNS, line
from docparser_kubectl.replay.model import Run, Wait
from docparser_kubectl.replay.outcome import outcome, quantile

WAITS = (Wait(5, 1), Wait(0, 90), Wait(2, 8), Wait(60, 1))


@pytest.mark.parametrize(("share", "wait"), [(0.5, 0), (0.9, 0), (0.91, 2), (0.99, 5), (1, 60)])
def test_waits_are_weighed_by_pages(share: float, wait: float) -> None:
    assert quantile(WAITS, share) == wait


def test_of_nothing_there_is_no_wait() -> None:
    assert quantile((), 0.99) is None


def test_a_run_in_figures() -> None:
    found = outcome("HPA", 30, Run(WAITS, 3, 7200, 600, 0, ()))
    assert (found.gpu_hours, found.starts, found.read_pages) == (2, 3, 100)
    assert (found.wait_p50, found.wait_p99, found.longest_wait) == (0, 5, 60)
    assert found.p99_or_never == 5


def test_what_leaves_pages_unread_has_no_p99() -> None:
    assert outcome("HPA", 30, Run(WAITS, 3, 7200, 600, 1, ())).p99_or_never > 1e9


def test_a_line_shows_levels_where_they_are() -> None:
    shown = line([(0, 0), (COLUMNS / 2, 4), (COLUMNS * 0.75, 8)], COLUMNS, 8)
    half, quarter = COLUMNS // 2, COLUMNS // 4
    assert shown == " " * half + "▄" * quarter + "█" * quarter


def test_what_is_short_or_small_is_seen() -> None:
    shown = line([(0, 0), (100, 8), (100.5, 0.01), (101, 0)], 10_000, 8)
    assert shown == "█" + " " * (COLUMNS - 1)
    assert line([(0, 0.01)], 10, 8) == "▁" * COLUMNS


def test_a_chart_of_nothing_is_empty() -> None:
    assert line([(0, 0)], 10, 0) == " " * COLUMNS
