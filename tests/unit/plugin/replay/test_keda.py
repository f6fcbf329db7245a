from collections.abc import Mapping

from docparser_kubectl.replay.keda import Keda

from .doubles import a_view


def course(scaler: Keda, pages: Mapping[int, int], asked: int) -> list[int]:
    """The pods after each look."""
    found = []
    for now, queued in pages.items():
        asked = scaler.replicas(a_view(now, queued=queued, asked=asked))
        found.append(asked)
    return found


def test_none_becomes_one_at_the_next_poll() -> None:
    assert course(Keda(10, 0, 20), {0: 0, 15: 50, 30: 50, 45: 50}, asked=0) == [0, 0, 1, 5]


def test_between_polls_the_queue_decides() -> None:
    assert course(Keda(10, 0, 20), {0: 30, 15: 60}, asked=3) == [3, 6]


def test_all_go_when_there_was_nothing_for_five_minutes() -> None:
    pages = {0: 20, 30: 20, **dict.fromkeys(range(60, 361, 30), 0)}
    found = dict(zip(pages, course(Keda(10, 0, 20), pages, asked=2), strict=True))
    assert found[300] > 0
    # Active at 30 s for the last time; at 330 s that is not yet more than 300 s ago.
    assert found[330] == 1
    assert found[360] == 0


def test_work_starts_the_time_again() -> None:
    pages = {0: 10, **dict.fromkeys(range(30, 300, 30), 0), 300: 1, 330: 0, 600: 0, 630: 0}
    assert course(Keda(10, 0, 20), pages, asked=1)[-3:] == [1, 1, 0]


def test_what_is_being_read_is_work() -> None:
    scaler = Keda(10, 0, 20)
    views = [a_view(now, asked=1, busy_places=1) for now in range(0, 1200, 30)]
    assert {scaler.replicas(view) for view in views} == {1}


def test_with_a_minimum_it_never_goes_to_none() -> None:
    pages = dict.fromkeys(range(0, 1200, 15), 0)
    assert course(Keda(10, 2, 20), pages, asked=5)[-1] == 2
