# ruff: noqa: ANN001, ANN201, N803, PLR0913, PLR0917, PLR2004 - the arguments of kernels are pointers, numbers, CONSTANTS
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, import-untyped"
"""SR-SWA: a query looks at few blocks of the reference, chosen by summaries, and at what is near.

Blocks of the reference that are finished and lie before the last `WINDOW` tokens may be chosen;
of these only the sequence's candidates count, such as those of the page that it writes. The best
`BEST` by score share a probability by entmax-1.5, and the first `KEEP` of those stay. How likely a
block is, against the mean of those that stay, is added to the scores of its keys.
"""

import triton
import triton.language as tl

from docparser_runtime.engine.gpu.ops.attention import add_blocks, combine, store_share


@triton.jit
def entmax15(scores, count, BEST: tl.constexpr):
    """Return the probabilities of `scores` [BEST], in falling order; from `count` on they are 0."""
    place = tl.arange(0, BEST)
    used = place < count
    finite = tl.where(used, scores, -1e30)
    half = tl.where(used, (finite - tl.max(finite)) * 0.5, 0.0)
    size = (place + 1).to(tl.float32)
    mean = tl.cumsum(half, 0) / size
    square = tl.cumsum(half * half, 0) / size
    spread = (1 - size * (square - mean * mean)) / size
    threshold = mean - tl.sqrt(tl.maximum(spread, 0.0))
    support = tl.sum((used & (threshold <= half)).to(tl.int32))
    chosen = tl.sum(tl.where(place == support - 1, threshold, 0.0))
    over = tl.where(used, tl.maximum(half - chosen, 0.0), 0.0)
    return over * over


@triton.jit
def best_scores(scores, MOST: tl.constexpr, BEST: tl.constexpr):
    """Return the best scores [BEST], best first, and where they are in `scores` [MOST]."""
    places, ranks = tl.arange(0, MOST), tl.arange(0, BEST)
    top = tl.full([BEST], -float("inf"), tl.float32)
    where = tl.zeros([BEST], tl.int32)
    if MOST <= 64:
        higher = scores[None, :] > scores[:, None]
        before = (scores[None, :] == scores[:, None]) & (places[None, :] < places[:, None])
        rank = tl.sum((higher | before).to(tl.int32), 1)
        hit = rank[None, :] == ranks[:, None]
        top = tl.max(tl.where(hit, scores[None, :], -float("inf")), 1)
        where = tl.sum(tl.where(hit, places[None, :], 0), 1)
    else:
        for rank in range(BEST):
            value = tl.max(scores)
            at = tl.min(tl.where(scores == value, places, MOST))
            top = tl.where(ranks == rank, value, top)
            where = tl.where(ranks == rank, at, where)
            scores = tl.where(places == at, -float("inf"), scores)
    return top, where


@triton.jit
def routed_blocks(
    query, summaries, table, first, count, head, scratch,
    HEADS: tl.constexpr, D: tl.constexpr, MOST: tl.constexpr, BEST: tl.constexpr,
    KEEP: tl.constexpr,
):  # fmt: skip
    """Return block of the table, log-prior and whether it stays, [BEST] each.

    `first` and `count` tell the candidates in the table; `scratch` has room for MOST scores.
    """
    columns = tl.arange(0, D)
    if MOST <= 64:
        places = tl.arange(0, MOST)
        inside = places < count
        owners = tl.load(table + first + places, mask=inside, other=0).to(tl.int64)
        keys = tl.load(
            summaries + (owners[:, None] * HEADS + head) * D + columns[None, :],
            mask=inside[:, None],
            other=0.0,
        )
        scores = tl.sum(keys.to(tl.float32) * query[None, :], 1)
        scores = tl.where(inside, scores, -float("inf"))
    else:
        for start in range(0, count, 64):
            part = start + tl.arange(0, 64)
            inside = part < count
            owners = tl.load(table + first + part, mask=inside, other=0).to(tl.int64)
            keys = tl.load(
                summaries + (owners[:, None] * HEADS + head) * D + columns[None, :],
                mask=inside[:, None],
                other=0.0,
            )
            tl.store(scratch + part, tl.sum(keys.to(tl.float32) * query[None, :], 1), mask=inside)
        tl.debug_barrier()
        places = tl.arange(0, MOST)
        scores = tl.load(scratch + places, mask=places < count, other=-float("inf"))
    top, where = best_scores(scores, MOST, BEST)
    likely = entmax15(top, tl.minimum(count, BEST), BEST)
    ranks = tl.arange(0, BEST)
    kept = (likely > 0) & (ranks < KEEP)
    prior = tl.where(kept, tl.log2(tl.where(kept, likely, 1.0)), 0.0)
    mean = tl.sum(prior) / tl.maximum(tl.sum(kept.to(tl.float32)), 1.0)
    return first + where, prior - mean, kept


@triton.jit
def sparse_attention_kernel(
    q_in, router_in, k_pool, v_pool, summaries, tables, reference_lens, ring_lens, firsts, counts,
    partial, logs, arrivals, scratch, picks, out, columns_of_table,
    HEADS: tl.constexpr, D: tl.constexpr, SPLITS: tl.constexpr, SPLITS2: tl.constexpr,
    WINDOW: tl.constexpr, MOST: tl.constexpr, BEST: tl.constexpr, KEEP: tl.constexpr,
    SCALE: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Each program: one head of one sequence, one share; the last one puts the shares together."""
    unit, split = tl.program_id(0), tl.program_id(1)
    sequence, head = unit // HEADS, unit % HEADS
    table = tables + sequence * columns_of_table
    reference_len, ring_len = tl.load(reference_lens + sequence), tl.load(ring_lens + sequence)
    near = tl.maximum(reference_len - (WINDOW - ring_len), 0)
    first, count = tl.load(firsts + sequence), tl.load(counts + sequence)
    count = tl.maximum(tl.minimum(count, near // 32 - first), 0)
    columns = tl.arange(0, D)
    q = tl.load(q_in + unit * D + columns).to(tl.float32) * (1.4426950408889634 * D**-0.5)
    query = tl.load(router_in + unit * D + columns).to(tl.float32) * SCALE
    mine = unit * SPLITS + split
    blocks, priors, kept = routed_blocks(
        query, summaries, table, first, count, head, scratch + mine * MOST, HEADS, D, MOST, BEST,
        KEEP,
    )  # fmt: skip
    ranks = tl.arange(0, BEST)
    # A gather across lanes by way of memory of this program's own.
    tl.store(picks + mine * 2 * BEST + ranks, blocks.to(tl.float32))
    tl.store(picks + mine * 2 * BEST + BEST + ranks, tl.where(kept, priors, -float("inf")))
    tl.debug_barrier()
    reference_blocks = (reference_len + 31) // 32
    near_block = near // 32
    nearby = reference_blocks - near_block + (ring_len + 31) // 32
    all_blocks = BEST + nearby
    each: tl.constexpr = ROWS // 32
    share = (all_blocks + each * SPLITS - 1) // (each * SPLITS) * each
    best, total = -1e30, 0.0
    gathered = tl.zeros([D], tl.float32)
    for start in range(split * share, tl.minimum(split * share + share, all_blocks), each):
        row = tl.arange(0, ROWS)
        number = start + row // 32
        routed = number < BEST
        pick = picks + mine * 2 * BEST + tl.where(routed, number, 0)
        bias = tl.where(routed, tl.load(pick + BEST), 0.0)
        block = tl.where(
            routed, tl.load(pick).to(tl.int32), near_block + tl.maximum(number - BEST, 0)
        )
        at = block * 32 + row % 32
        local = tl.where(
            block < reference_blocks,
            (at >= near) & (at < reference_len),
            at < reference_blocks * 32 + ring_len,
        )
        seen = tl.where(routed, bias > -float("inf"), local & (number < all_blocks))
        owners = tl.load(table + block, mask=seen, other=0)
        gathered, total, best = add_blocks(
            q, k_pool, v_pool, owners, row % 32, seen, tl.where(seen, bias, 0.0), head, gathered,
            total, best, HEADS, D,
        )  # fmt: skip
    store_share(partial, logs, unit, split, gathered, total, best, D, SPLITS)
    tl.debug_barrier()
    before = tl.atomic_add(arrivals + unit, 1, sem="acq_rel", scope="gpu")
    if before == SPLITS - 1:
        tl.store(arrivals + unit, 0)
        result = combine(partial, logs, unit, D, SPLITS, SPLITS2)
        tl.store(out + unit * D + columns, result.to(out.dtype.element_ty))


@triton.jit
def summary_kernel(k_pool, summaries, owners, HEADS: tl.constexpr, D: tl.constexpr):
    """Write the mean key of blocks; one program for a head of a block."""
    number, head = tl.program_id(0), tl.program_id(1)
    owner = tl.load(owners + number).to(tl.int64)
    rows, columns = tl.arange(0, 32), tl.arange(0, D)
    place = (owner * HEADS + head) * 32 * D
    keys = tl.load(k_pool + place + rows[:, None] * D + columns[None, :]).to(tl.float32)
    mean = tl.sum(keys, 0) / 32
    tl.store(summaries + (owner * HEADS + head) * D + columns, mean.to(summaries.dtype.element_ty))
