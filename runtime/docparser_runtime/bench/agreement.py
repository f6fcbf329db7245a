"""Whether the fast steps choose the tokens that the plain ones do, at real size."""

from dataclasses import fields, replace
from typing import Any

import torch

from docparser_runtime.bench.scene import Scene, sequences
from docparser_runtime.engine.gpu.decoder import Decoder, Step
from docparser_runtime.engine.gpu.ops.batch_step import BatchStep
from docparser_runtime.engine.gpu.ops.select import PLAIN
from docparser_runtime.engine.gpu.ops.single_step import SingleStep
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import KvPool
from docparser_runtime.engine.gpu.weights import DecoderWeights

_CONTEXT = 400


def agreement(at: Scene, positions: int) -> dict[str, Any]:
    """Return how often the choices of steps agree with the plain ones' in float32.

    All see the same tokens; keys and values are each one's own, from an equal start.
    """
    wide = DecoderWeights(
        **{field.name: getattr(at.weights, field.name).float() for field in fields(at.weights)}
    )
    # Its own cache, as narrow as the others': what is compared is the arithmetic.
    exact = Decoder(at.shape, wide, _copy(at.pool), PLAIN)
    plain = Decoder(at.shape, at.weights, _copy(at.pool), PLAIN)
    rest = at.shape, at.weights
    single_pool, batch_pool = _copy(at.pool), _copy(at.pool)
    single = SingleStep(*rest, single_pool, at.rotary)
    batched = BatchStep(*rest, batch_pool, at.rotary, 1)
    states = {name: sequences(at, 1, _CONTEXT, room=positions) for name in ("single", "batched")}
    for state in states.values():
        state.active.fill_(1)
        state.windows.zero_()
        state.block_tables.copy_(states["single"].block_tables)
        state.tokens.copy_(states["single"].tokens)
    hits = dict.fromkeys(("single", "batched", "plain_bf16"), 0)
    gaps = dict.fromkeys(states, 0.0)
    generator = torch.Generator(device=at.pool.k.device).manual_seed(3)
    for _ in range(positions):
        token = torch.randint(at.shape.vocab, (1,), generator=generator, device=at.pool.k.device)
        for state in states.values():
            state.tokens.copy_(token)
        step = _step(states["single"])
        logits = exact.step(step)[0]
        expected = logits.argmax()
        hits["plain_bf16"] += int(plain.step(step).argmax(-1) == expected)
        single(states["single"])
        batched(states["batched"])
        for name, state in states.items():
            hits[name] += int(state.sampled == expected)
            gap = (logits[expected] - logits[state.sampled[0]]) / logits.std()
            gaps[name] = max(gaps[name], float(gap))
    return {
        "positions": positions,
        **{name: hit / positions for name, hit in hits.items()},
        # How much less likely a choice that differs was, in deviations of all logits.
        "largest_gap": gaps,
    }


def _copy(pool: KvPool) -> KvPool:
    return replace(pool, k=pool.k.clone(), v=pool.v.clone())


def _step(state: StepState) -> Step:
    names = ("tokens", "positions", "slots", "reference_lens", "ring_lens")
    return Step(
        **{name: getattr(state, name).clone() for name in names}, block_tables=state.block_tables
    )
