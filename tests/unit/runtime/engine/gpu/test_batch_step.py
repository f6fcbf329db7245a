import math

import pytest
import support.triton_interpreter  # noqa: F401 - so that it runs
import torch
from docparser_runtime.engine.gpu.decoder import Decoder, Step
from docparser_runtime.engine.gpu.ops.batch_step import BatchStep
from docparser_runtime.engine.gpu.ops.batch_tuning import BatchTuning
from docparser_runtime.engine.gpu.ops.plain import ban_ngrams, rotary_table
from docparser_runtime.engine.gpu.ops.progress import begin_kernel
from docparser_runtime.engine.gpu.ops.select import PLAIN
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import KvPool, ring_start, slots
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.weights import DecoderWeights

pytestmark = pytest.mark.thorough  # imports torch, interprets kernels

torch.set_num_threads(1)
TUNING = BatchTuning(least_splits=2, attention_programs=1, head_rows=32)
ALLOWED = torch.tensor([0, 4])


def _shape(window: int | None) -> DecoderShape:
    return DecoderShape(
        layers=2, hidden=64, heads=2, head_dim=32, dense_mlp=96, experts=8, top_k=3,
        expert_mlp=32, shared_mlp=64, vocab=128, max_positions=256, window=window,
    )  # fmt: skip


def _state(window: int | None) -> StepState:
    """Two sequences, of 40 and 64 tokens, and a row that nobody owns."""
    state = StepState.empty(3, 4, 16, ALLOWED, "cpu")
    state.tokens.copy_(torch.tensor([7, 9, 0]))
    for row, (length, table) in enumerate(((40, [3, 1, 5, 2]), (64, [4, 6, 7, 8]))):
        state.active[row] = 1
        state.block_tables[row] = torch.tensor(table)
        state.positions[row] = length
        state.reference_lens[row] = length if window else length + 1
        state.ring_lens[row] = 1 if window else 0
        newest = torch.tensor(ring_start(length) if window else length)
        state.slots[row] = slots(state.block_tables[row], newest)
    return state


def _step(state: StepState) -> Step:
    names = ("tokens", "positions", "slots", "reference_lens", "ring_lens")
    return Step(
        **{name: getattr(state, name).clone() for name in names}, block_tables=state.block_tables
    )


@pytest.mark.parametrize("window", [None, 2])
def test_steps_compute_and_choose_what_the_plain_ones_do(window: int | None) -> None:
    torch.manual_seed(0)
    shape = _shape(window)
    weights = DecoderWeights.random(shape, "cpu", torch.float32, 1)
    plain, fast = (KvPool.allocate(shape, 12, "cpu", torch.float32) for _ in range(2))
    for tensor, copy in ((plain.k, fast.k), (plain.v, fast.v)):
        copy.copy_(tensor.normal_())
    state = _state(window)
    decoder = Decoder(shape, weights, plain, PLAIN)
    rotary = rotary_table(256, 32, shape.rope_theta, torch.device("cpu"))
    step = BatchStep(shape, weights, fast, rotary, 3, tuning=TUNING, keep_logits=True)
    for made in range(1, 4):
        expected = decoder.step(_step(state))
        step(state)
        torch.testing.assert_close(step.logits, expected, atol=1e-4, rtol=1e-4)
        assert state.sampled.tolist() == expected.argmax(-1).tolist()
        assert state.tokens[:2].tolist() == state.sampled[:2].tolist()
        assert state.positions.tolist() == [40 + made, 64 + made, 0]
        assert state.ring_lens.tolist()[:2] == [min(made + 1, window)] * 2 if window else True
    torch.testing.assert_close(fast.k[:, 1:], plain.k[:, 1:], atol=1e-4, rtol=1e-4)
    assert state.history[0, -3:].min() >= 0


def _gumbel(seed: int, position: int, token: int) -> float:
    wrap = 2**64 - 1
    x = (seed + 0x9E3779B97F4A7C15 * (position + 1) & wrap) ^ (token << 32 | token)
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & wrap
    x = (x ^ x >> 27) * 0x94D049BB133111EB & wrap
    x ^= x >> 31
    return -math.log(-math.log(((x >> 40) + 0.5) / 2**24))


def test_a_temperature_draws_by_seed_and_position_alone() -> None:
    torch.manual_seed(0)
    shape = _shape(None)
    weights = DecoderWeights.random(shape, "cpu", torch.float32, 1)
    pool = KvPool.allocate(shape, 12, "cpu", torch.float32)
    rotary = rotary_table(256, 32, shape.rope_theta, torch.device("cpu"))
    state = _state(None)
    state.temperatures[:2] = 5.0
    state.seeds.copy_(torch.tensor([11, 2**40, 5]))
    positions = state.positions.tolist()
    step = BatchStep(shape, weights, pool, rotary, 3, tuning=TUNING, keep_logits=True)
    step(state)
    for row, heat in enumerate((5.0, 5.0, None)):
        scores = step.logits[row].double()
        if heat:
            seed = int(state.seeds[row])
            drawn = [_gumbel(seed, positions[row], token) for token in range(shape.vocab)]
            scores = scores / heat + torch.tensor(drawn)
        assert int(state.sampled[row]) == int(scores.argmax())


@pytest.mark.parametrize("size", [2, 3])
def test_bans_are_those_of_the_plain_guard(size: int) -> None:
    generator = torch.Generator().manual_seed(size)
    history = torch.randint(3, 6, (3, 32), generator=generator, dtype=torch.int32)
    history[1, :20] = -1
    windows = torch.tensor([32, 32, 9], dtype=torch.int32)
    logits = torch.zeros(3, 8)
    ban_ngrams(logits, history.long(), windows.long(), size, ALLOWED)
    banned = torch.zeros(3, 8, dtype=torch.uint8)
    marks = torch.full_like(history, -1)
    begin_kernel[(3,)](
        history, windows, torch.full((3,), size, dtype=torch.int32), ALLOWED.to(torch.int32),
        banned, marks, torch.ones(1, dtype=torch.int32), VOCAB=8, LOOK_BACK=32, ALLOWED=2,
    )  # fmt: skip
    assert banned.bool().tolist() == logits.isinf().tolist()
    assert banned.any()
