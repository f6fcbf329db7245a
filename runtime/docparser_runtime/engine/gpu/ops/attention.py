# ruff: noqa: ANN001, ANN201, N803, PLR0913, PLR0917 - the arguments of kernels are pointers, numbers, CONSTANTS
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, import-untyped"
"""Attention of one query per sequence over blocks of keys and values, split over programs."""

import triton
import triton.language as tl


@triton.jit
def add_blocks(
    q, k_pool, v_pool, owners, rows, seen, bias, head, gathered, total, best,
    HEADS: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """Take in the rows `rows` of the blocks `owners`; q comes times scale and log2(e)."""
    columns = tl.arange(0, D)
    places = ((owners.to(tl.int64) * HEADS + head) * 32 + rows) * D
    where = places[:, None] + columns[None, :]
    keys = tl.load(k_pool + where, mask=seen[:, None], other=0.0)
    values = tl.load(v_pool + where, mask=seen[:, None], other=0.0)
    scores = tl.sum(keys.to(tl.float32) * q[None, :], 1) + bias
    scores = tl.where(seen, scores, -1e30)
    higher = tl.maximum(best, tl.max(scores))
    fade = tl.exp2(best - higher)
    weights = tl.where(seen, tl.exp2(scores - higher), 0.0)
    gathered = gathered * fade + tl.sum(values.to(tl.float32) * weights[:, None], 0)
    return gathered, total * fade + tl.sum(weights), higher


@triton.jit
def decode_attention_kernel(
    q_in, k_pool, v_pool, tables, reference_lens, ring_lens, partial, logs, columns_of_table,
    HEADS: tl.constexpr, D: tl.constexpr, SPLITS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Each program: one head of one sequence, one share of its rows."""
    unit, split = tl.program_id(0), tl.program_id(1)
    sequence, head = unit // HEADS, unit % HEADS
    reference_len, ring_len = tl.load(reference_lens + sequence), tl.load(ring_lens + sequence)
    reference_blocks = (reference_len + 31) // 32
    blocks = reference_blocks + (ring_len + 31) // 32
    share = (blocks + SPLITS - 1) // SPLITS
    end = tl.minimum(split * share + share, blocks)
    columns = tl.arange(0, D)
    scale: tl.constexpr = 1.4426950408889634 * D**-0.5
    q = tl.load(q_in + unit * D + columns).to(tl.float32) * scale
    best, total = -1e30, 0.0
    gathered = tl.zeros([D], tl.float32)
    for block in range(split * share, end, ROWS // 32):
        rows = block * 32 + tl.arange(0, ROWS)
        index = rows // 32
        last = tl.where(index < reference_blocks, reference_len, reference_blocks * 32 + ring_len)
        seen = (rows < last) & (index < end)
        owners = tl.load(tables + sequence * columns_of_table + index, mask=index < end, other=0)
        gathered, total, best = add_blocks(
            q, k_pool, v_pool, owners, rows % 32, seen, 0.0, head, gathered, total, best, HEADS, D
        )
    store_share(partial, logs, unit, split, gathered, total, best, D, SPLITS)


@triton.jit
def store_share(
    partial, logs, unit, split, gathered, total, best, D: tl.constexpr, SPLITS: tl.constexpr
):  # fmt: skip
    """Leave a share for `combine_kernel`."""
    safe = tl.where(total > 0, total, 1.0)
    place = unit * SPLITS + split
    tl.store(partial + place * D + tl.arange(0, D), gathered / safe)
    tl.store(logs + place, tl.where(total > 0, best + tl.log2(safe), -1e30))


@triton.jit
def combine(partial, logs, unit, D: tl.constexpr, SPLITS: tl.constexpr, SPLITS2: tl.constexpr):
    """Return the sum [D] of the shares of a head of a sequence."""
    splits, columns = tl.arange(0, SPLITS2), tl.arange(0, D)
    used = splits < SPLITS
    log = tl.load(logs + unit * SPLITS + splits, mask=used, other=-1e30)
    factor = tl.where(used, tl.exp2(log - tl.max(log)), 0.0)
    shares = tl.load(
        partial + (unit * SPLITS + splits)[:, None] * D + columns[None, :],
        mask=used[:, None],
        other=0.0,
    )
    return tl.sum(shares * factor[:, None], 0) / tl.sum(factor)


@triton.jit
def combine_kernel(
    partial, logs, out, D: tl.constexpr, SPLITS: tl.constexpr, SPLITS2: tl.constexpr
):  # fmt: skip
    """Put the shares of a head of a sequence together."""
    unit = tl.program_id(0)
    total = combine(partial, logs, unit, D, SPLITS, SPLITS2)
    tl.store(out + unit * D + tl.arange(0, D), total.to(out.dtype.element_ty))
