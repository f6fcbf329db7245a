import pytest
from docparser_operator.sizes import Exchange, exchanged, retired
from hypothesis import given
from hypothesis import strategies as st
from support.builders import a_workload, observed_of


def test_what_is_kept_or_gone_does_not_retire() -> None:
    observed = observed_of(a_workload("a", 2), a_workload("b", 1), a_workload("gone", 0))
    assert retired(observed, {"a"}) == {"b": 0}
    assert retired(observed, {"a"}, shrink=False) == {"b": 1}


@given(
    replicas=st.integers(0, 6),
    max_unavailable=st.integers(1, 3),
    old=st.integers(0, 6),
    canary=st.integers(0, 6),
    new=st.integers(0, 6),
    lost=st.integers(0, 6),
    leaving=st.integers(0, 3),
)
def test_an_exchange_never_grows_beyond_its_room_and_keeps_what_must_serve(  # noqa: PLR0913
    *,
    replicas: int,
    max_unavailable: int,
    old: int,
    canary: int,
    new: int,
    lost: int,
    leaving: int,
) -> None:
    available = max(0, new - lost)
    observed = observed_of(
        a_workload("old", old),
        a_workload("canary", canary),
        a_workload("new", new, available=available),
        leaving={"old": leaving},
    )
    sizes = exchanged(observed, "new", "old", Exchange(replicas, replicas, max_unavailable))
    pods = old + canary + leaving
    if sizes["new"] > new:
        assert sizes["new"] + pods <= replicas
    assert sizes["new"] <= max(new, replicas)
    assert sizes.get("old", 0) <= old
    assert sizes.get("canary", 0) <= canary
    serving = sizes.get("old", 0) + sizes.get("canary", 0) + min(available, replicas)
    before = old + canary + min(available, replicas)
    assert serving >= min(before, replicas - max_unavailable)


@pytest.mark.parametrize("replicas", range(1, 6))
@pytest.mark.parametrize("max_unavailable", [1, 2, 5])
def test_an_exchange_comes_to_its_end(replicas: int, max_unavailable: int) -> None:
    old, new = replicas, 0
    for _ in range(3 * replicas):
        observed = observed_of(a_workload("old", old), a_workload("new", new))
        sizes = exchanged(observed, "new", "old", Exchange(replicas, replicas, max_unavailable))
        old, new = sizes.get("old", 0), sizes["new"]
    assert (old, new) == (0, replicas)
