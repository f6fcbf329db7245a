from collections.abc import Iterable

from docparser_runtime.engine.generation.stopping import Stop, TokenStops


def stop(tokens: Iterable[int], most: int = 1000) -> tuple[int, Stop | None]:
    stops = TokenStops({1}, most)
    for count, token in enumerate(tokens, 1):
        if reason := stops.add(token):
            return count, reason
    return 0, None


def test_a_text_ends_where_it_says_so() -> None:
    assert stop([5, 6, 1, 7]) == (3, Stop.END)
    assert stop([5, 6]) == (0, None)


def test_a_text_has_a_longest_length() -> None:
    assert stop([5, 6, 7], most=2) == (2, Stop.LENGTH)
    assert stop([5, 6, 1], most=2) == (2, Stop.LENGTH)
    assert stop([5, 1], most=2) == (2, Stop.END)


def test_a_loop_ends_a_text() -> None:
    assert stop([*range(100, 140)] * 20) == (400, Stop.LOOP)


def test_only_some_stops_cut_text_off() -> None:
    assert [reason for reason in Stop if reason.is_truncation] == [Stop.LENGTH, Stop.LOOP]
