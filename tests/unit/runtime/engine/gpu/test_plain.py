"""Operations and steps in plain torch, against references that are written in another way."""

import random
from itertools import pairwise

import pytest
import torch
from docparser_runtime.engine.generation.repetition import GuardPolicy, RepetitionGuard
from docparser_runtime.engine.gpu.assembly import graph_sizes
from docparser_runtime.engine.gpu.ops import grouped, plain
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.steps import advance, noise_for

pytestmark = pytest.mark.thorough  # torch takes seconds to import

VOCABULARY = 6
LOOK_BACK = 16


@pytest.mark.parametrize("run", [2, 3, 5])
def test_the_ban_is_that_of_the_reference(run: int) -> None:
    chance = random.Random(run)  # noqa: S311 - not for secrets
    policies = [GuardPolicy(run, window, frozenset({4})) for window in (run, 9, LOOK_BACK)]
    guards = [RepetitionGuard(policy) for policy in policies]
    history = torch.full((len(guards), LOOK_BACK), -1)
    windows = torch.tensor([policy.window for policy in policies])
    bans = 0
    for _ in range(120):
        logits = torch.zeros(len(guards), VOCABULARY)
        plain.ban_ngrams(logits, history, windows, run, torch.tensor([4]))
        for row, guard in zip(logits, guards, strict=True):
            banned = set((row == -torch.inf).nonzero().flatten().tolist())
            assert banned == guard.banned()
            bans += len(banned)
        token = chance.choice((1, 1, 2, 4))
        for guard in guards:
            guard.add(token)
        history = torch.cat((history[:, 1:], torch.full((len(guards), 1), token)), dim=1)
    assert bans > 0


def test_a_window_of_none_bans_nothing() -> None:
    logits = torch.zeros(1, VOCABULARY)
    history = torch.ones(1, LOOK_BACK, dtype=torch.long)
    plain.ban_ngrams(logits, history, torch.tensor([0]), 2, torch.tensor([], dtype=torch.long))
    assert (logits == 0).all()


def test_temperature_draws_as_often_as_is_likely() -> None:
    logits = torch.tensor([[0.0, 1.0, 2.0]]).repeat(4000, 1)
    temperatures = torch.full((4000,), 0.5)
    noise = torch.rand(4000, 3, generator=torch.Generator().manual_seed(1)).clamp(1e-7, 1 - 1e-7)
    drawn = plain.sample(logits, temperatures, noise).bincount(minlength=3) / 4000
    assert torch.allclose(drawn, (logits[0] / 0.5).softmax(-1), atol=0.03)
    assert plain.sample(logits, 0 * temperatures, noise).tolist() == [2] * 4000


def test_noise_belongs_to_seed_and_position() -> None:
    def noise(seeds: list[int], positions: list[int]) -> torch.Tensor:
        ones = torch.ones(len(seeds))
        return noise_for(ones, torch.tensor(seeds), torch.tensor(positions), 5)

    together = noise([7, 8, 7], [3, 3, 4])
    assert torch.equal(together[1], noise([8], [3])[0])
    assert all(not torch.equal(one, other) for one, other in pairwise(together))
    assert noise_for(torch.zeros(2), torch.zeros(2), torch.zeros(2), 5).shape == (2, 1)


@pytest.mark.parametrize("window", [None, 40])
def test_rows_move_on_to_the_next_slot_and_those_of_nobody_stay(window: int | None) -> None:
    prompt, generated = 37, 60
    state = StepState.empty(2, 4, LOOK_BACK, torch.tensor([4]), "cpu")
    table = [9, 3, 5, 7]
    state.block_tables[0] = torch.tensor(table)
    state.active[0] = 1
    state.positions[0] = prompt
    state.reference_lens[0] = prompt + (window is None)
    state.ring_lens[0] = int(window is not None)
    for count in range(1, generated):
        advance(state, torch.tensor([count % 5, 1]), window)
        row = prompt + count if window is None else 64 + count % window
        assert int(state.slots[0]) == table[row // 32] * 32 + row % 32
        assert int(state.positions[0]) == prompt + count
        assert int(state.ring_lens[0]) == (0 if window is None else min(count + 1, window))
        assert int(state.reference_lens[0]) == (prompt + count + 1 if window is None else prompt)
        assert int(state.history[0, -1]) == int(state.tokens[0]) == count % 5
    assert [int(state.positions[1]), int(state.slots[1]), int(state.tokens[1])] == [0, 0, 0]
    assert (state.history[1] == -1).all()


@pytest.mark.parametrize("tokens", [1, 5, 70])
def test_experts_together_give_what_each_gives_alone(tokens: int) -> None:
    generator = torch.Generator().manual_seed(tokens)

    def random_(*size: int) -> torch.Tensor:
        return torch.randn(size, generator=generator)

    x, gate_up, down = random_(tokens, 32), random_(8, 48, 32), random_(8, 32, 24)
    weights, ids = plain.route(x, random_(8, 32), 3)
    alone = plain.experts(x, weights, ids, gate_up, down)
    together = grouped.experts(x, weights, ids, gate_up, down)
    assert torch.allclose(together, alone, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("most", [1, 2, 5, 24, 32, 33, 200, 256])
def test_every_batch_has_a_graph_that_is_not_much_larger(most: int) -> None:
    sizes = graph_sizes(most)
    assert sizes == tuple(sorted(set(sizes)))
    assert max(sizes) == most
    for batch in range(1, most + 1):
        padded = min(size for size in sizes if size >= batch)
        assert padded - batch <= min(batch // 2, 15)
