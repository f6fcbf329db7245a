from typing import Any

import pytest
from docparser_kubectl.replay.hpa import HorizontalPodAutoscaler
from docparser_kubectl.replay.keda import Keda
from docparser_kubectl.replay.model import MOST_SECONDS_AFTER, Run, play
from docparser_kubectl.replay.patterns import Pattern, generated
from docparser_kubectl.replay.traces import Arrival, Priority, Trace
from docparser_kubectl.replay.values import Drain, Setup

from .doubles import Ordered, a_trace, spread

ONE = Setup(page_seconds=2, places=1, lead_seconds=20)
"""Pods that read a page in 2 s, one at a time, and start in 20 s."""


def played(trace: Trace, *orders: tuple[float, int], setup: Setup = ONE, **values: Any) -> Run:
    """The run under these orders, begun with the first of them."""
    begin = values.pop("begin", orders[0][1])
    return play(trace, setup, Ordered(*orders, **values), begin)


def test_documents_wait_for_those_before_them() -> None:
    run = played(a_trace((0, 3), (1, 2), (20, 1)), (0, 1))
    assert spread(run.waits) == [(0, 1), (0, 3), (5, 2)]
    assert (run.seconds, run.gpu_seconds, run.starts) == (22, 22, 0)


def test_places_read_beside_each_other() -> None:
    run = played(a_trace((0, 3), (0, 2), (0, 1)), (0, 1), setup=Setup(page_seconds=2, places=2))
    assert spread(run.waits) == [(0, 2), (0, 3), (4, 1)]
    assert run.seconds == 6


def test_the_emptiest_pod_takes_what_comes() -> None:
    run = played(a_trace((0, 5), (1, 5)), (0, 2), setup=Setup(page_seconds=2, places=2))
    assert run.waits
    assert {wait.seconds for wait in run.waits} == {0}


def test_high_priority_comes_first_and_low_last() -> None:
    arrivals = [Arrival(1 + i / 10, 1, Priority(p)) for i, p in enumerate((0, 1, 2))]
    run = played(a_trace((0, 4), *arrivals), (0, 1))
    # They come at 1.0, 1.1 and 1.2, and the place is free at 8.
    assert spread(run.waits) == [(0, 4), (6.8, 1), (8.9, 1), (11, 1)]


def test_a_pod_serves_after_its_lead_time() -> None:
    run = played(a_trace((0, 1), seconds=60), (0, 1), begin=0)
    assert spread(run.waits) == [(20, 1)]
    assert (run.starts, run.gpu_seconds) == (1, 60)


def test_an_arrival_wakes_those_who_want_that() -> None:
    asleep = played(a_trace((3, 1)), (0, 0), interval=30, woken=1)
    assert spread(asleep.waits) == [(20, 1)]
    polled = played(a_trace((3, 1)), (0, 0), (30, 1), interval=30)
    assert spread(polled.waits) == [(47, 1)]


def test_a_pod_that_goes_gives_back_what_it_has_not_begun() -> None:
    run = played(a_trace((0, 10), (0, 30), seconds=30), (0, 2), (5, 1))
    # At 5 s the pod with the fewer pages left goes: it ends its third page at 6 s. The other
    # document has the place until 60 s.
    assert spread(run.waits) == [(0, 3), (0, 30), (54, 7)]
    assert run.gpu_seconds == 6 + 74


def test_or_reads_it_to_its_end() -> None:
    setup = Setup(page_seconds=2, places=1, lead_seconds=20, drain=Drain.FINISH)
    run = played(a_trace((0, 10), (0, 30), seconds=30), (0, 2), (5, 1), setup=setup)
    assert spread(run.waits) == [(0, 10), (0, 30)]
    assert run.gpu_seconds == 20 + 60


def test_what_was_given_back_is_first_again() -> None:
    trace = a_trace((0, 10), (0, 10), (1, 5))
    run = played(trace, (0, 2), (5, 1))
    assert spread(run.waits) == [(0, 3), (0, 10), (14, 7), (33, 5)]


def test_idle_pods_go_at_once_and_those_that_start_go_first() -> None:
    scaler = Ordered((0, 1), (10, 3), (20, 1))
    run = play(a_trace((0, 30), seconds=40), ONE, scaler, 1)
    assert spread(run.waits) == [(0, 30)]
    # Two pods had GPUs for ten seconds, without ever serving.
    assert (run.starts, run.gpu_seconds) == (2, 60 + 2 * 10)
    assert scaler.views[15].starting == (5.0, 5.0)
    assert max(view.ready for view in scaler.views) == 1


def test_pods_without_room_hold_no_gpu_and_start_when_one_is_free() -> None:
    setup = Setup(page_seconds=2, places=1, lead_seconds=20, room=1)
    scaler = Ordered((0, 2))
    run = play(a_trace((0, 5), (0, 5), seconds=50), setup, scaler, 1)
    assert spread(run.waits) == [(0, 5), (10, 5)]
    assert (run.starts, run.gpu_seconds) == (1, 50)
    assert scaler.views[-1].free_room == 0
    assert len(scaler.views[-1].starting) == 1


def test_a_view_tells_what_is_the_case() -> None:
    scaler = Ordered((0, 1))
    play(a_trace((0, 4), (1, 2), (2, 3)), ONE, scaler, 1)
    view = scaler.views[5]
    assert (view.now, view.asked, view.ready, view.pods) == (5, 1, 1, 1)
    assert (view.queued_pages, view.running_pages, view.busy_places) == (5, 2, 1)
    assert (view.oldest_wait, view.arrived_pages) == (4, 9)


def test_a_run_in_which_nobody_reads_is_given_up() -> None:
    run = played(a_trace((0, 1), seconds=10), (0, 0), interval=3600)
    assert (run.waits, run.unread_pages) == ((), 1)
    assert 0 < run.seconds <= 10 + MOST_SECONDS_AFTER


def test_gpus_of_a_pod_are_counted() -> None:
    run = played(a_trace((0, 1), seconds=10), (0, 2), setup=Setup(gpus=4))
    assert run.gpu_seconds == 10 * 2 * 4


@pytest.mark.parametrize("drain", Drain)
@pytest.mark.parametrize("seed", range(3))
def test_all_pages_are_read_once_whatever_comes_and_goes(drain: Drain, seed: int) -> None:
    setup = Setup(most=2, room=2, drain=drain)
    trace = generated(Pattern.BURST, setup.capacity, seed)
    for scaler in (Keda(5, 0, 3), HorizontalPodAutoscaler(20, 0, 3)):
        run = play(trace, setup, scaler, 1)
        assert sum(wait.pages for wait in run.waits) == trace.pages
        assert run.unread_pages == 0
        # No pod reads faster than it can, and no wait is less than nothing.
        assert run.gpu_seconds >= trace.pages / setup.pages_per_second
        assert min(wait.seconds for wait in run.waits) >= 0


def test_no_place_is_idle_while_something_waits() -> None:
    setup = Setup(page_seconds=6, places=3, lead_seconds=20)
    trace = generated(Pattern.BURST, setup.capacity, 1)
    scaler = Ordered((0, 2), (3000, 6), (6000, 1), interval=7)
    play(trace, setup, scaler, 2)
    waiting = [view for view in scaler.views if view.queued_pages]
    assert len(waiting) > 100
    assert all(view.busy_places >= view.ready * setup.places for view in waiting)
