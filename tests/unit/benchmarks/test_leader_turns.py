"""Who wrote out of turn, from lines of an audit log."""

from datetime import UTC, datetime, timedelta

from support.audit import Request
from support.leader_turns import changes_of_leader, out_of_turn

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def a_write(user: str, second: float, resource: str = "deployments", code: int = 200) -> Request:
    received = BEGIN + timedelta(seconds=second)
    completed = received + timedelta(milliseconds=10)
    return Request("agent", user, "patch", "space", resource, "reader", code, received, completed)


def lease(user: str, second: float, code: int = 200) -> Request:
    return a_write(user, second, "leases", code)


USERS = {"one", "two"}
TURNS = [lease("one", 0), lease("one", 2), lease("two", 12), lease("one", 30)]


def test_who_writes_while_the_lease_is_its_own_is_in_turn() -> None:
    mine = [a_write("one", 1), a_write("one", 11), a_write("two", 13), a_write("one", 31)]
    assert out_of_turn([*TURNS, *mine], USERS) == []


def test_who_writes_after_another_took_the_lease_is_told() -> None:
    late = a_write("one", 14)
    assert out_of_turn([*TURNS, a_write("two", 13), late], USERS) == [late]


def test_what_was_refused_changed_nothing_and_takes_no_lease() -> None:
    refused = [a_write("one", 14, code=409), lease("one", 15, code=409)]
    assert out_of_turn([*TURNS, *refused, a_write("two", 16)], USERS) == []


def test_writes_of_others_do_not_count() -> None:
    assert out_of_turn([*TURNS, a_write("controller", 14)], USERS) == []


def test_each_change_of_the_holder_counts_once() -> None:
    assert changes_of_leader([*TURNS, lease("controller", 40)], USERS) == 2
