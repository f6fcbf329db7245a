"""What the readings of all pods amount to over time."""

from datetime import UTC, datetime, timedelta

import pytest
from docparser_operator.autoscaling.observation import Observation, first_observation
from docparser_operator.autoscaling.readings import Reading

BEGUN = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def played(*looks: dict[str, Reading], shared: bool = False, step: int = 5) -> Observation:
    """Return what is known after looks at a fixed interval."""
    found = first_observation(looks[0], BEGUN, is_shared=shared)
    for number, look in enumerate(looks[1:], start=1):
        found = found.after(look, BEGUN + timedelta(seconds=step * number))
    return found


def busy(pages: float, waiting: float = 5) -> Reading:
    return Reading(pages=pages, documents=pages, waiting=waiting, running=1)


def test_demand_is_that_of_all_pods() -> None:
    task = Reading(
        pages=40, documents=10, running=2, queued_pages=7, running_jobs=1, running_pages=9,
        oldest_seconds=33,
    )  # fmt: skip
    demand = played({"a": Reading(pages=0, waiting=2), "b": task}).demand
    assert demand.queued_pages == 7 + 2 * 4
    assert demand.running_pages == 9 + 4
    assert demand.oldest_wait_seconds == 33
    assert demand.measured_at == BEGUN


def test_a_shared_queue_counts_once() -> None:
    told = Reading(pages=1, queued_pages=7, running_jobs=2, running_pages=9)
    assert played({"a": told, "b": told}, shared=True).demand.queued_pages == 7
    assert played({"a": told, "b": told}).demand.queued_pages == 14


def test_busy_pods_tell_what_one_reads_and_idle_ones_do_not() -> None:
    looks = [{"a": busy(10 * n), "b": Reading(pages=3 * n)} for n in range(6)]
    assert played(*looks).pages_per_second == pytest.approx(2.0)
    assert played(*looks[:3]).pages_per_second is None
    idle = [{"a": busy(10 * n, waiting=0)} for n in range(6)]
    assert played(*idle).pages_per_second is None


def test_workers_of_a_shared_queue_are_busy_while_it_holds_something_and_gateways_never() -> None:
    looks = [
        {"worker": Reading(pages=1 + 10 * n), "gateway": Reading(pages=0, queued_pages=9)}
        for n in range(6)
    ]
    assert played(*looks, shared=True).pages_per_second == pytest.approx(2.0)


def test_what_is_read_or_waits_has_arrived() -> None:
    looks = [{"a": Reading(pages=20 * n)} for n in range(40)]
    assert played(*looks).demand.arrival_pages_per_second == pytest.approx(4.0)
    waiting = [{"a": Reading(pages=10 * n, queued_pages=10 * n)} for n in range(40)]
    assert played(*waiting).demand.arrival_pages_per_second == pytest.approx(4.0)


def test_what_waits_at_the_first_look_has_not_just_arrived() -> None:
    looks = [{"a": Reading(pages=5 * n, queued_pages=500 - 5 * n)} for n in range(40)]
    assert played(*looks).demand.arrival_pages_per_second == 0


def test_a_heap_of_pages_is_no_rate() -> None:
    looks = [{"a": Reading(pages=0)}] * 20 + [{"a": Reading(pages=0, queued_pages=1000)}] * 20
    for end in range(20, 40):
        found = played(*looks[: end + 1]).demand
        assert found.arrival_pages_per_second == 0
        assert found.queued_pages == 1000


def test_refused_documents_have_arrived_but_at_most_as_many_as_were_read() -> None:
    looks = [{"a": Reading(pages=10 * n, documents=10 * n, refused=100 * n)} for n in range(1, 41)]
    assert played(*looks).demand.arrival_pages_per_second == pytest.approx(4.0)


def test_a_restart_of_a_pod_makes_no_pages() -> None:
    looks = [{"a": Reading(pages=1000 + 5 * n)} for n in range(20)]
    looks += [{"a": Reading(pages=5 * n)} for n in range(20)]
    assert played(*looks).demand.arrival_pages_per_second == pytest.approx(1.0)


def test_new_pods_bring_no_pages_along() -> None:
    looks = [{"a": Reading(pages=0)}, {"a": Reading(pages=0), "b": Reading(pages=500)}]
    assert played(*looks).demand.active_at is None


def test_pages_that_vanish_are_forgotten_after_a_while() -> None:
    gone = [{"a": Reading(pages=0, queued_pages=1000)}, *[{"a": Reading(pages=0)}] * 400]
    again = [{"a": Reading(pages=5 * n)} for n in range(40)]
    assert played(*gone, *again).demand.arrival_pages_per_second == pytest.approx(1.0, rel=0.2)
