# ruff: noqa: ANN001, ANN201, N803, PLR0913, PLR0917, PLR2004 - the arguments of kernels are pointers, numbers, CONSTANTS
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, import-untyped"
"""Projections of a batch: rows of tokens times matrices that are read once, on tensor cores.

`x` holds normed tokens [B, K] in the weights' type; a tile takes `BM` tokens and some rows of the
matrix. Products add up in float32.
"""

import triton
import triton.language as tl

from docparser_runtime.engine.gpu.ops.progress import gumbel_noise


@triton.jit
def tile_of(
    x, tokens, inside, weight, rows, some,
    K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Return the products [BM, BN] of the tokens `tokens` of `x` and the rows `rows`."""
    total = tl.zeros([BM, BN], tl.float32)
    for start in range(0, K, BK):
        columns = start + tl.arange(0, BK)
        within = columns < K
        left = tl.load(
            x + tokens[:, None] * K + columns[None, :],
            mask=inside[:, None] & within[None, :],
            other=0.0,
        )
        right = tl.load(
            weight + rows[None, :] * K + columns[:, None],
            mask=some[None, :] & within[:, None],
            other=0.0,
        )
        total = tl.dot(left, right, total, input_precision="ieee")
    return total


@triton.jit
def qkv_kernel(
    x, weight, rotary, positions, slots, q_out, k_pool, v_pool, batch,
    H: tl.constexpr, HEADS: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr,
):  # fmt: skip
    """Queries, keys and values, rotated; keys and values go to the pool."""
    half: tl.constexpr = D // 2
    parts: tl.constexpr = half // BN
    tile = tl.program_id(0)
    kind, head = tile // (HEADS * parts), tile // parts % HEADS
    place = tile % parts * BN + tl.arange(0, BN)
    tokens = tl.program_id(1) * BM + tl.arange(0, BM)
    inside = tokens < batch
    rows = (kind * HEADS + head) * D + place
    first = tl.zeros([BM, BN], tl.float32)
    second = tl.zeros([BM, BN], tl.float32)
    for start in range(0, H, BK):
        columns = start + tl.arange(0, BK)
        left = tl.load(x + tokens[:, None] * H + columns[None, :], mask=inside[:, None], other=0.0)
        where = weight + rows[None, :] * H + columns[:, None]
        first = tl.dot(left, tl.load(where), first, input_precision="ieee")
        second = tl.dot(left, tl.load(where + half * H), second, input_precision="ieee")
    position = tl.load(positions + tokens, mask=inside, other=0)
    angles = rotary + position[:, None] * D + place[None, :]
    turned = inside[:, None] & (kind < 2)
    cosine = tl.load(angles, mask=turned, other=1.0)
    sine = tl.load(angles + half, mask=turned, other=0.0)
    one = first * cosine - second * sine
    two = second * cosine + first * sine
    if kind == 0:
        out = q_out + (tokens[:, None] * HEADS + head) * D + place[None, :]
        tl.store(out, one.to(q_out.dtype.element_ty), mask=inside[:, None])
        tl.store(out + half, two.to(q_out.dtype.element_ty), mask=inside[:, None])
    else:
        slot = tl.load(slots + tokens, mask=inside, other=0)
        at = ((slot // 32 * HEADS + head) * 32 + slot % 32) * D
        pool = k_pool if kind == 1 else v_pool
        out = pool + at[:, None] + place[None, :]
        tl.store(out, one.to(pool.dtype.element_ty), mask=inside[:, None])
        tl.store(out + half, two.to(pool.dtype.element_ty), mask=inside[:, None])


@triton.jit
def add_projection_kernel(
    x, weight, hidden, counts, batch,
    N: tl.constexpr, K: tl.constexpr, EXPERTS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr,
):  # fmt: skip
    """Add x times the matrix to the residual; set the experts' counts back on the way."""
    if (tl.program_id(0) == 0) & (tl.program_id(1) == 0):
        tl.store(counts + tl.arange(0, EXPERTS), tl.zeros([EXPERTS], tl.int32))
    rows = tl.program_id(0) * BN + tl.arange(0, BN)
    tokens = tl.program_id(1) * BM + tl.arange(0, BM)
    inside = tokens < batch
    total = tile_of(x, tokens, inside, weight, rows, rows < N, K, BM, BN, BK)
    out = hidden + tokens[:, None] * N + rows[None, :]
    mask = inside[:, None] & (rows < N)[None, :]
    tl.store(out, tl.load(out, mask=mask, other=0.0) + total, mask=mask)


@triton.jit
def head_kernel(
    x, weight, banned, temperatures, seeds, positions, bests, candidates, logits, batch,
    H: tl.constexpr, VOCAB: tl.constexpr, TILES: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, BK: tl.constexpr, KEEP: tl.constexpr,
):  # fmt: skip
    """The best token of each tile of the vocabulary, noise of the temperature included."""
    tile = tl.program_id(0)
    rows = tile * BN + tl.arange(0, BN)
    some = rows < VOCAB
    tokens = tl.program_id(1) * BM + tl.arange(0, BM)
    inside = tokens < batch
    scores = tile_of(x, tokens, inside, weight, rows.to(tl.int64), some, H, BM, BN, BK)
    mask = inside[:, None] & some[None, :]
    places = tokens[:, None].to(tl.int64) * VOCAB + rows[None, :]
    if KEEP:
        tl.store(logits + places, scores, mask=mask)
    barred = tl.load(banned + places, mask=mask, other=1)
    heat = tl.load(temperatures + tokens, mask=inside, other=0.0)
    if tl.max(heat) > 0:
        seed = tl.load(seeds + tokens, mask=inside, other=0)
        position = tl.load(positions + tokens, mask=inside, other=0)
        noise = gumbel_noise(seed[:, None], position[:, None], rows[None, :])
        hot = (heat > 0)[:, None]
        scores = tl.where(hot, scores / tl.where(hot, heat[:, None], 1.0) + noise, scores)
    scores = tl.where(barred != 0, -float("inf"), scores)
    best = tl.max(scores, 1)
    which = tl.min(tl.where(scores == best[:, None], rows[None, :], VOCAB), 1)
    tl.store(bests + tokens * TILES + tile, best, mask=inside)
    tl.store(candidates + tokens * TILES + tile, which, mask=inside)
