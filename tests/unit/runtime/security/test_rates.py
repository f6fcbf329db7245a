from docparser_runtime.security.rates import NANOSECONDS, Buckets, Rate
from hypothesis import given
from hypothesis import strategies as st
from unit.runtime.security.doors import Clock

MINUTE = 60 * NANOSECONDS
RATES = st.integers(1, 1_000_000).map(Rate)


def test_a_minute_may_come_at_once_and_then_one_after_the_other() -> None:
    clock, rate = Clock(), Rate(3)
    buckets = Buckets(clock, most_keys=9)
    for _ in range(3):
        assert buckets.wait_seconds("a", rate) == 0
        buckets.take("a", rate)
    assert buckets.wait_seconds("a", rate) == 20
    assert buckets.wait_seconds("b", rate) == 0
    clock.sleep(19.999)
    assert buckets.wait_seconds("a", rate) == 1
    clock.sleep(0.001)
    assert buckets.wait_seconds("a", rate) == 0


@given(rate=RATES, taken=st.integers(0, 3000), later_ns=st.integers(0, 3 * MINUTE))
def test_the_wait_is_exact(rate: Rate, taken: int, later_ns: int) -> None:
    full_at_ns = rate.full_at_ns(0, 1, taken)
    wait_ns = rate.wait_ns(full_at_ns, 1 + later_ns)
    assert rate.wait_ns(full_at_ns, 1 + later_ns + wait_ns) == 0
    if wait_ns:
        assert rate.wait_ns(full_at_ns, 1 + later_ns + wait_ns - 1) == 1


@given(rate=st.integers(1, 200).map(Rate), pauses=st.lists(st.integers(0, MINUTE // 50)))
def test_no_minute_sees_more_than_a_full_bucket_and_what_flows_in(
    rate: Rate, pauses: list[int]
) -> None:
    full_at_ns, now_ns, passed = 0, 1, 0
    for pause in pauses:
        now_ns += pause
        if not rate.wait_ns(full_at_ns, now_ns):
            full_at_ns = rate.full_at_ns(full_at_ns, now_ns, 1)
            passed += 1
    assert passed <= rate.per_minute + now_ns * rate.per_minute // MINUTE


def test_a_debt_has_to_be_waited_for() -> None:
    clock, rate = Clock(), Rate(60)
    buckets = Buckets(clock, most_keys=9)
    buckets.take("a", rate, 100)
    assert buckets.wait_seconds("a", rate) == 41
    clock.sleep(41)
    assert buckets.wait_seconds("a", rate) == 0


def test_a_rate_that_changes_keeps_what_was_taken() -> None:
    clock = Clock()
    buckets = Buckets(clock, most_keys=9)
    buckets.take("a", Rate(2), 2)
    assert buckets.wait_seconds("a", Rate(2)) == 30
    assert buckets.wait_seconds("a", Rate(60)) == 1


def test_memory_is_bounded_and_the_idle_are_forgotten_first() -> None:
    buckets, rate = Buckets(Clock(), most_keys=3), Rate(1)
    for key in ("a", "b", "a", "c", "d"):
        buckets.take(key, rate)
    assert len(buckets) == 3
    assert [buckets.wait_seconds(key, rate) > 0 for key in "abcd"] == [True, False, True, True]
