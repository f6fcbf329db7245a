"""When a callback is tried again."""

import pytest
from docparser_runtime.callbacks.schedule import Schedule
from hypothesis import given, settings
from hypothesis import strategies as st

DAY = 86_400


@pytest.mark.parametrize(
    ("attempts", "elapsed", "chance", "pause"),
    [
        (1, 0, 0.0, 5),
        (1, 0, 1.0, 2.5),
        (2, 5, 0.0, 10),
        (3, 15, 0.5, 15),
        (10, 2600, 0.0, 2560),
        (11, 5200, 0.0, 3600),
        (40, 7200, 0.0, 3600),
        (10_000, DAY - 3600, 0.0, 3600),
        (30, DAY - 3599, 0.0, None),
        (1, DAY, 0.0, None),
        (1, 10 * DAY, 1.0, None),
    ],
)
def test_pauses(attempts: int, elapsed: float, chance: float, pause: float | None) -> None:
    assert Schedule().pause_seconds(attempts, elapsed, chance) == pause


@settings(max_examples=30)
@given(chance=st.floats(0, 1), attempt_seconds=st.floats(0, 10))
def test_every_receiver_gets_some_attempts_and_none_gets_them_for_ever(
    chance: float, attempt_seconds: float
) -> None:
    schedule, elapsed, attempts = Schedule(), 0.0, 0
    for attempts in range(1, 200):
        elapsed += attempt_seconds
        pause = schedule.pause_seconds(attempts, elapsed, chance)
        if pause is None:
            break
        assert 0 < pause <= schedule.longest_pause_seconds
        elapsed += pause
    else:
        raise AssertionError("there is no end")
    assert attempts > 24
    assert DAY - 3610 <= elapsed <= DAY + 10
