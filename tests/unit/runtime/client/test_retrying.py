"""How long a client waits before it tries again."""

import httpx
import pytest
from docparser_runtime.client.answers import Answer, error
from docparser_runtime.client.errors import ApiError, BusyError, UnreachableError
from docparser_runtime.client.retrying import Chance, Patience, Retrying
from unit.runtime.client.scripts import problem

UNREACHABLE = UnreachableError("x")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def patience(luck: float, clock: Clock, **rules: float) -> Patience:
    return Patience(Retrying(**rules), Chance(clock, lambda: luck))  # type: ignore[arg-type]


def busy(seconds: float | None) -> BusyError:
    return BusyError("queue_full", 429, "", "", seconds)


@pytest.mark.parametrize(
    ("luck", "expected"),
    [(0.0, [0.25, 0.5, 1, 2, 2]), (1.0, [0.5, 1, 2, 4, 4])],
)
def test_pauses_double_up_to_a_bound_and_differ(luck: float, expected: list[float]) -> None:
    tried = patience(luck, Clock(), longest_pause_seconds=4)
    assert [tried.pause_seconds(UNREACHABLE) for _ in expected] == expected


def test_the_service_may_ask_for_a_longer_pause_which_is_never_cut() -> None:
    tried = patience(1.0, Clock())
    assert tried.pause_seconds(busy(30)) == 30.25
    assert patience(1.0, Clock()).pause_seconds(busy(None)) == 0.5


def test_a_pause_beyond_the_patience_is_not_begun() -> None:
    with pytest.raises(BusyError):
        patience(0.0, Clock(), patience_seconds=60).pause_seconds(busy(61))


def test_the_number_of_attempts_is_bounded() -> None:
    tried = patience(0.0, Clock(), tries=3)
    tried.pause_seconds(UNREACHABLE)
    tried.pause_seconds(UNREACHABLE)
    with pytest.raises(UnreachableError):
        tried.pause_seconds(UNREACHABLE)


def test_the_time_is_bounded_and_renewed_by_success() -> None:
    clock = Clock()
    tried = patience(0.0, clock, patience_seconds=10)
    tried.pause_seconds(UNREACHABLE)
    clock.now = 11
    with pytest.raises(UnreachableError):
        tried.pause_seconds(UNREACHABLE)
    tried.renew()
    assert tried.pause_seconds(UNREACHABLE) == 0.25


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 7 "}, 7.0),
        ({"retry-after": "-7"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, None),
        (
            {
                "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT",
                "date": "Thu, 01 Jan 2026 00:00:00 GMT",
            },
            30.0,
        ),
    ],
)
def test_the_pause_that_the_service_asks_for(
    headers: dict[str, str], expected: float | None
) -> None:
    assert asked(problem("queue_full", 429), headers).retry_after_seconds == expected


def asked(response: httpx.Response, headers: dict[str, str]) -> ApiError:
    return error(Answer(response.status_code, headers, response.content))
