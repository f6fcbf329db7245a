import math

from docparser_operator.analysis.evidence import Evidence, Totals
from docparser_operator.analysis.window import Side, Window
from hypothesis import given
from hypothesis import strategies as st
from unit.operator.analysis.totals import timed


def requests(number: int, errors: int = 0) -> Totals:
    return Totals(requests=number, server_errors=errors)


def look(
    window: Window, totals: Totals, uid: str = "a", side: Side = "canary", *, born: bool = False
) -> None:
    window.add(uid, side, totals, 1.0, born_in_window=born)


def canary(window: Window) -> Totals:
    return window.evidence(1.0).canary


def test_nothing_seen_is_no_evidence() -> None:
    assert Window(5.0).evidence(5.0) == Evidence.EMPTY


def test_counting_starts_at_the_first_look() -> None:
    window = Window(0.0)
    look(window, requests(100, 5))
    assert canary(window) == Totals()
    look(window, requests(103, 6))
    assert canary(window) == requests(3, 1)


def test_all_that_a_new_pod_counted_belongs_to_the_window() -> None:
    window = Window(0.0)
    look(window, requests(100, 5), born=True)
    assert canary(window) == requests(100, 5)


def test_pods_and_sides_are_kept_apart() -> None:
    window = Window(0.0)
    look(window, requests(1), "a", born=True)
    look(window, requests(2), "b", born=True)
    look(window, requests(4), "c", "stable", born=True)
    found = window.evidence(30.0)
    assert (found.canary, found.stable, found.seconds) == (requests(3), requests(4), 30.0)


def test_a_process_that_began_anew_adds_to_what_the_earlier_one_counted() -> None:
    window = Window(0.0)
    look(window, requests(100))
    look(window, requests(110))
    look(window, requests(2))
    assert canary(window) == requests(12)
    look(window, requests(5))
    look(window, requests(1))
    assert canary(window) == requests(16)


def test_one_counter_that_went_down_tells_a_restart() -> None:
    window = Window(0.0)
    look(window, Totals(requests=2, pages=50), born=True)
    look(window, Totals(requests=3, pages=1), born=True)
    assert canary(window) == Totals(requests=5, pages=51)


def test_times_restart_too() -> None:
    window = Window(0.0)
    look(window, timed(0.2, 0.2), born=True)
    look(window, timed(4.0, 4.0), born=True)
    found = canary(window)
    assert found.timed == 4
    assert dict(found.buckets)[0.25] == 2


def test_a_pod_that_vanished_keeps_its_part() -> None:
    window = Window(0.0)
    look(window, requests(7), "gone", born=True)
    for number in range(3):
        look(window, requests(number), "stays", born=True)
    assert canary(window) == requests(9)


def test_time_does_not_run_backwards() -> None:
    window = Window(10.0)
    window.add("a", "canary", Totals(), 30.0, born_in_window=False)
    assert window.evidence(20.0).seconds == 20.0


def test_buckets_add_up_at_the_bounds_that_both_know() -> None:
    one = Totals(buckets=((1.0, 2), (5.0, 3), (math.inf, 4)))
    other = Totals(buckets=((1.0, 10), (2.0, 11), (math.inf, 12)))
    assert (one + other).buckets == ((1.0, 12), (math.inf, 16))


counts = st.integers(0, 1000)
totals = st.builds(
    lambda parts, times: Totals(
        parts[0] + parts[1], parts[1], timed(*times).buckets, parts[2] + parts[3], parts[3]
    ),
    st.tuples(counts, counts, counts, counts),
    st.lists(st.sampled_from([0.1, 0.7, 3.0, 90.0]), max_size=5),
)


@given(st.lists(totals, min_size=1, max_size=6))
def test_many_pods_equal_one_with_their_sum(pods: list[Totals]) -> None:
    many, one = Window(0.0), Window(0.0)
    for number, counted in enumerate(pods):
        look(many, counted, str(number), born=True)
    look(one, sum(pods, Totals()), born=True)
    assert canary(many) == canary(one)


@given(st.lists(st.tuples(totals, st.booleans()), min_size=1, max_size=8))
def test_restarts_lose_nothing_that_was_seen(steps: list[tuple[Totals, bool]]) -> None:
    window, process, expected = Window(0.0), Totals(), Totals()
    for step, restarts in steps:
        # Only a process that counted less than the earlier one can be told apart from it.
        visible = restarts and not process.is_before(step)
        process = step if visible else process + step
        expected += step
        look(window, process, born=True)
    assert canary(window) == expected
