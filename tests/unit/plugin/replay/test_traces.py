import pytest
from docparser_kubectl.errors import Failure
from docparser_kubectl.replay.patterns import BOMB_PAGES, BUSY, Pattern, generated
from docparser_kubectl.replay.traces import Arrival, Priority, read


def test_a_file_is_read_in_the_order_of_time() -> None:
    trace = read("time_seconds,pages,priority\n7.5,3,high\n\n0,12,\n9,1,low\n", "day.csv")
    high, low = Arrival(7.5, 3, Priority.HIGH), Arrival(9, 1, Priority.LOW)
    assert trace.arrivals == (Arrival(0, 12), high, low)
    assert (trace.name, trace.seconds, trace.pages) == ("day.csv", 9, 16)


def test_priority_may_be_left_out() -> None:
    assert read("\ufefftime_seconds, pages\r\n1,2\r\n", "x").arrivals == (Arrival(1, 2),)


WRONG = {
    "": "the first line must be",
    "at,pages\n1,2\n": "the first line must be",
    "time_seconds,pages\n": "has no documents",
    "time_seconds,pages\n1,2\n1\n": "line 3: 1 values instead of 2",
    "time_seconds,pages\n1,2,high\n": "line 2: 3 values instead of 2",
    "time_seconds,pages\nx,2\n": "line 2: could not convert",
    "time_seconds,pages\nnan,2\n": "line 2: time_seconds nan",
    "time_seconds,pages\n-1,2\n": "line 2: time_seconds -1",
    "time_seconds,pages\n1e9,2\n": "line 2: time_seconds 1e9",
    "time_seconds,pages\n1,0\n": "line 2: pages 0",
    "time_seconds,pages\n1,2.5\n": "line 2: invalid literal",
    "time_seconds,pages,priority\n1,2,urgent\n": "line 2: priority urgent is none of low",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_line_is_named(text: str) -> None:
    with pytest.raises(Failure, match=WRONG[text]):
        read(text, "day.csv")


@pytest.mark.parametrize("pattern", Pattern)
def test_a_seed_makes_the_same_documents_again(pattern: Pattern) -> None:
    trace = generated(pattern, 0.5, 7)
    assert trace == generated(pattern, 0.5, 7)
    assert trace.arrivals != generated(pattern, 0.5, 8).arrivals
    times = [arrival.at for arrival in trace.arrivals]
    assert times == sorted(times)
    assert times[-1] < trace.seconds


def test_more_documents_than_can_be_played_are_refused() -> None:
    with pytest.raises(Failure, match=r"diurnal would have more than 1,000,000 documents"):
        generated(Pattern.DIURNAL, 1000.0, 1)


def rate(pattern: Pattern, first_hour: float, last_hour: float) -> float:
    """Pages per second of some hours, as share of those of the busiest time."""
    trace, begin, end = generated(pattern, 1.0, 1), 3600 * first_hour, 3600 * last_hour
    pages = sum(arrival.pages for arrival in trace.arrivals if begin <= arrival.at < end)
    return pages / (end - begin) / (1.0 * BUSY)


def test_steady_is_steady() -> None:
    assert rate(Pattern.STEADY, 0, 3) == pytest.approx(1, rel=0.1)
    assert rate(Pattern.STEADY, 3, 6) == pytest.approx(1, rel=0.1)


def test_a_day_has_a_night() -> None:
    assert rate(Pattern.DIURNAL, 14, 16) == pytest.approx(1, rel=0.1)
    assert rate(Pattern.DIURNAL, 2, 4) < 0.1


def test_a_quiet_night_is_nearly_empty() -> None:
    assert rate(Pattern.QUIET_NIGHT, 3, 12) < 0.03
    assert rate(Pattern.QUIET_NIGHT, 0, 0.5) > 0.3


def test_bursts_are_five_minutes_of_all_pods() -> None:
    trace = generated(Pattern.BURST, 1.0, 1)
    most = max(
        sum(other.pages for other in trace.arrivals if 0 <= other.at - one.at < 120)
        for one in trace.arrivals[::50]
    )
    assert most > 0.8 * 300 * 1.0


def test_bombs_have_a_thousand_pages() -> None:
    trace = generated(Pattern.BOMBS, 0.5, 1)
    bombs = [arrival.at // 3600 for arrival in trace.arrivals if arrival.pages == BOMB_PAGES]
    assert bombs == list(range(8))
