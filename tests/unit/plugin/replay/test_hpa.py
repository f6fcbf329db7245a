import pytest
from docparser_kubectl.replay.hpa import (
    Bounds,
    HorizontalPodAutoscaler,
    Memory,
    Wish,
    decide,
    proportional,
)

from .doubles import a_view

BOUNDS = Bounds(1, 100)

# metric, target, pods: wish
PROPORTIONS = {
    "twice as much": ((80, 10, 4), 8),
    "half": ((20, 10, 4), 2),
    "rounded up": ((41, 10, 2), 5),
    "a little more is near enough": ((43, 10, 4), 4),
    "more than that is not": ((45, 10, 4), 5),
    "a little less is near enough": ((37, 10, 4), 4),
    "less than that, but rounded up": ((33, 10, 4), 4),
    "little of many": ((85, 10, 10), 9),
    "nothing": ((0, 10, 4), 0),
}


@pytest.mark.parametrize("what", PROPORTIONS)
def test_pods_are_in_proportion_to_the_metric(what: str) -> None:
    given, wish = PROPORTIONS[what]
    assert proportional(*given) == wish


# asked, wish: pods at the first look
LIMITS = {
    "four more of few": ((1, 100), 5),
    "twice as many of many": ((10, 100), 20),
    "no more than wished": ((10, 12), 12),
    "at most": ((90, 500), 100),
    "without a metric as it is": ((7, None), 7),
    "without pods nothing is done": ((0, 5), 0),
    "downwards the wish of the beginning counts": ((7, 1), 7),
}


@pytest.mark.parametrize("what", LIMITS)
def test_steps_are_limited(what: str) -> None:
    given, pods = LIMITS[what]
    assert decide(BOUNDS, Memory(), *given, 0.0)[0] == pods


def course(wishes: dict[int, int], bounds: Bounds = BOUNDS, asked: int = 1) -> list[int]:
    """The pods after each look."""
    memory, found = Memory(), []
    for now, wish in wishes.items():
        asked, memory = decide(bounds, memory, asked, wish, now)
        found.append(asked)
    return found


def test_it_doubles_every_fifteen_seconds() -> None:
    assert course({0: 90, 15: 90, 30: 90, 45: 90, 60: 90}) == [5, 10, 20, 40, 80]


def test_what_was_added_within_fifteen_seconds_counts() -> None:
    assert course({0: 90, 10: 90, 15: 90}) == [5, 5, 10]


def test_it_shrinks_to_the_largest_wish_of_five_minutes() -> None:
    wishes = {0: 8, 15: 3, 150: 5, 299: 2, 300: 2, 449: 2, 450: 2, 599: 2, 600: 2}
    assert course(wishes, asked=8) == [8, 8, 8, 8, 5, 5, 2, 2, 2]


def test_all_may_go_at_once_but_the_fewest() -> None:
    assert course({0: 50, 300: 0}, Bounds(3, 100), asked=50) == [50, 3]


def test_old_additions_are_forgotten() -> None:
    _, memory = decide(BOUNDS, Memory((Wish(0, 9),), (Wish(0, 4),)), 9, 9, 15.0)
    assert memory == Memory((Wish(0, 9), Wish(15, 9)), ())


def test_it_follows_what_waits_and_what_is_read() -> None:
    scaler = HorizontalPodAutoscaler(10, 0, 20)
    assert scaler.replicas(a_view(0, queued=35, busy_places=5, asked=2)) == 4


def test_pods_that_start_count_as_pods() -> None:
    scaler = HorizontalPodAutoscaler(10, 0, 20)
    view = a_view(0, queued=40, asked=4, ready=1, starting=(5.0, 5.0, 5.0))
    assert scaler.replicas(view) == 4


def test_it_never_goes_to_none() -> None:
    scaler = HorizontalPodAutoscaler(10, 0, 20)
    assert [scaler.replicas(a_view(at, asked=1)) for at in (0, 600, 1200)] == [1, 1, 1]
    assert not scaler.is_woken
