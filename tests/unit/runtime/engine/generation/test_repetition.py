from typing import Any

import pytest
from docparser_api.model_sizes import Family
from docparser_runtime.engine.generation.loops import TOKEN_LOOPS, LoopDetector, LoopPolicy
from docparser_runtime.engine.generation.repetition import (
    CELL_BEGIN,
    CELL_END,
    GuardPolicy,
    RepetitionGuard,
    guard_policy,
)
from hypothesis import given, settings
from hypothesis import strategies as st

TEXTS = st.lists(st.integers(0, 2), max_size=40)


def banned_by_definition(tokens: list[int], policy: GuardPolicy) -> set[int]:
    seen = tokens[-policy.window :]
    return {
        token
        for token in {*seen} - policy.allowed
        if any(
            seen[start : start + policy.run] == [*tokens[1 - policy.run :], token]
            for start in range(len(seen) - policy.run + 1)
        )
    }


@settings(max_examples=25)
@given(TEXTS, st.integers(2, 5), st.integers(0, 12), st.sets(st.integers(0, 2), max_size=1))
def test_what_is_banned_is_what_the_definition_says(
    tokens: list[int], run: int, more: int, allowed: set[int]
) -> None:
    policy = GuardPolicy(run, run + more, frozenset(allowed))
    guard = RepetitionGuard(policy)
    for count, token in enumerate(tokens, 1):
        guard.add(token)
        assert guard.banned() == banned_by_definition(tokens[:count], policy)


@settings(max_examples=5)
@given(st.data())
def test_no_run_comes_twice_within_its_window(data: st.DataObject) -> None:
    policy = GuardPolicy(3, 20, frozenset())
    guard = RepetitionGuard(policy)
    written: list[int] = []
    for _ in range(40):
        choice = sorted({0, 1, 2, 3} - guard.banned())
        if not choice:
            break
        written.append(data.draw(st.sampled_from(choice)))
        guard.add(written[-1])
    for end in range(len(written)):
        window = written[max(0, end - 20) : end + 1]
        runs = [tuple(window[start : start + 3]) for start in range(len(window) - 2)]
        assert runs[-1:] == [] or runs.count(runs[-1]) == 1


def test_a_guard_goes_on_from_what_came_before() -> None:
    policy = GuardPolicy(2, 10, frozenset())
    assert RepetitionGuard(policy, [5, 6, 5]).banned() == {6}


def test_a_guard_needs_no_more_memory_for_a_longer_text() -> None:
    guard = RepetitionGuard(GuardPolicy(3, 10))
    for token in range(1000):
        guard.add(token)
    assert len(guard._tokens) == 10
    assert len(guard._seen) == 8


def test_values_of_the_families() -> None:
    a = guard_policy(Family.DEEPSEEK_OCR_2, 1)
    assert (a.run, a.window) == (30, 90)
    single, several = (guard_policy(Family.UNLIMITED_OCR, pages) for pages in (1, 2))
    assert (single.run, single.window) == (35, 128)
    assert (several.run, several.window) == (35, 1024)
    assert a.allowed == single.allowed == {CELL_BEGIN, CELL_END}


@pytest.mark.parametrize(("run", "window"), [(1, 10), (11, 10)])
def test_a_guard_that_bans_all_or_nothing_is_refused(run: int, window: int) -> None:
    with pytest.raises(ValueError, match="run"):
        GuardPolicy(run, window)


POLICY = LoopPolicy(rounds=6, symbols=12, clue=1)


def first_loop(symbols: list[int], policy: LoopPolicy = POLICY) -> int | None:
    detector = LoopDetector(policy)
    return next((at for at, symbol in enumerate(symbols, 1) if detector.add(symbol)), None)


@settings(max_examples=25)
@given(TEXTS, st.lists(st.integers(0, 5), min_size=1, max_size=9))
def test_every_loop_is_found(start: list[int], part: list[int]) -> None:
    rounds = part * 20
    found = first_loop([*start, *rounds])
    assert found is not None
    # Twice what is needed at most: a suspicion from before may have to be given up first.
    assert found <= len(start) + 2 * max(POLICY.rounds * len(part), POLICY.symbols)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 1), max_size=60))
def test_what_is_called_a_loop_is_one(symbols: list[int]) -> None:
    found = first_loop(symbols)
    if found is not None:
        periods = [
            period
            for period in range(1, found)
            if (length := max(POLICY.rounds * period, POLICY.symbols)) <= found
            and symbols[found - length : found - period] == symbols[found - length + period : found]
        ]
        assert periods


def test_text_of_a_page_is_no_loop() -> None:
    rows = [[CELL_BEGIN, CELL_END] * 5 + [row] for row in range(200)]
    assert first_loop([token for row in rows for token in row], TOKEN_LOOPS) is None
    header = [*range(30), *range(20)]
    assert first_loop(header * 12, TOKEN_LOOPS) == 500
    empty_cells = [CELL_BEGIN, CELL_END] * 30 + [7]
    assert first_loop(empty_cells * 12, TOKEN_LOOPS) == 610


@pytest.mark.parametrize("numbers", [(4, 5, 1), (5, 0, 1), (5, 5, 0)])
def test_a_policy_that_calls_all_text_a_loop_is_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="loop"):
        LoopPolicy(*numbers)


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(2, 5), st.integers(0, 12))
def test_what_is_banned_is_what_transformers_and_the_batched_form_ban(
    tokens: list[int], run: int, more: int
) -> None:
    import torch  # noqa: PLC0415
    from docparser_runtime.engine.gpu.ops.plain import ban_ngrams  # noqa: PLC0415
    from transformers.models.unlimited_ocr import generation_unlimited_ocr  # noqa: PLC0415

    torch.set_num_threads(1)
    policy = GuardPolicy(run, run + more, allowed=frozenset())
    wanted = RepetitionGuard(policy, tokens).banned()
    scores = torch.zeros(1, 4)
    theirs = generation_unlimited_ocr.UnlimitedOcrSlidingWindowNoRepeatNgramLogitsProcessor(
        run, policy.window
    )
    assert banned_in(theirs(torch.tensor([tokens]), scores.clone())) == wanted
    longest = 20
    recent = tokens[-longest:]
    history = torch.tensor([[-1] * (longest - len(recent)) + recent])
    nothing = torch.tensor([], dtype=torch.int64)
    ban_ngrams(scores, history, torch.tensor([policy.window]), run, nothing)
    assert banned_in(scores) == wanted


def banned_in(scores: Any) -> set[int]:
    return {token for token, score in enumerate(scores[0].tolist()) if score == float("-inf")}
