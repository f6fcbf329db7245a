# ruff: noqa: ANN001, ANN201, N803, PLR0913, PLR0917 - the arguments of kernels are pointers, numbers, CONSTANTS
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, import-untyped"
"""MLPs of a batch: each expert's tokens together, so that its weights are read once."""

import triton
import triton.language as tl

from docparser_runtime.engine.gpu.ops.linear import tile_of


@triton.jit
def embed_kernel(
    tokens, embed, norm, hidden, x, H: tl.constexpr, H2: tl.constexpr, EPS: tl.constexpr
):
    """Put the newest token of each sequence into the residual, and its norm into `x`."""
    row = tl.program_id(0)
    columns = tl.arange(0, H2)
    inside = columns < H
    token = tl.load(tokens + row)
    value = tl.load(embed + token * H + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(hidden + row * H + columns, value, mask=inside)
    store_normed(value, norm, x, row, H, H2, EPS)


@triton.jit
def store_normed(value, norm, x, row, H: tl.constexpr, H2: tl.constexpr, EPS: tl.constexpr):
    """Store the norm of a row of the residual; return it."""
    columns = tl.arange(0, H2)
    inside = columns < H
    scale = tl.rsqrt(tl.sum(value * value) / H + EPS)
    normed = value * scale * tl.load(norm + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(x + row * H + columns, normed.to(x.dtype.element_ty), mask=inside)
    return normed


@triton.jit
def route_kernel(
    hidden, norm, router, x, probabilities, counts, lists, batch,
    H: tl.constexpr, H2: tl.constexpr, EPS: tl.constexpr, EXPERTS: tl.constexpr,
    TOP: tl.constexpr, CHUNK: tl.constexpr, ROUTED: tl.constexpr,
):  # fmt: skip
    """Norm of a token, its experts, and its place among the tokens of each."""
    row = tl.program_id(0)
    columns = tl.arange(0, H2)
    value = tl.load(hidden + row * H + columns, mask=columns < H, other=0.0)
    store_normed(value, norm, x, row, H, H2, EPS)
    if ROUTED:
        scale = tl.rsqrt(tl.sum(value * value) / H + EPS)
        experts = tl.arange(0, EXPERTS)
        total = tl.zeros([EXPERTS, CHUNK], tl.float32)
        for start in tl.static_range(0, H, CHUNK):
            part = start + tl.arange(0, CHUNK)
            scaled = tl.load(hidden + row * H + part) * tl.load(norm + part).to(tl.float32)
            total += tl.load(router + experts[:, None] * H + part[None, :]) * scaled[None, :]
        logits = tl.sum(total, 1) * scale
        likely = tl.exp(logits - tl.max(logits))
        likely /= tl.sum(likely)
        higher = likely[None, :] > likely[:, None]
        before = (likely[None, :] == likely[:, None]) & (experts[None, :] < experts[:, None])
        rank = tl.sum((higher | before).to(tl.int32), 1)
        taken = rank < TOP
        pair = row * TOP + rank
        tl.store(probabilities + pair, likely, mask=taken)
        place = tl.atomic_add(counts + experts, 1, mask=taken, sem="relaxed")
        tl.store(lists + experts * batch + place, pair, mask=taken)


@triton.jit
def gated_tile(
    x, tokens, inside, places, weight, rows, out,
    H: tl.constexpr, INNER: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Write silu(gate x) x (up x) of some tokens and rows to the rows `places` of `out`."""
    some = rows < INNER
    gates = tl.zeros([BM, BN], tl.float32)
    ups = tl.zeros([BM, BN], tl.float32)
    for start in range(0, H, BK):
        columns = start + tl.arange(0, BK)
        left = tl.load(x + tokens[:, None] * H + columns[None, :], mask=inside[:, None], other=0.0)
        where = weight + rows[None, :] * H + columns[:, None]
        gate = tl.load(where, mask=some[None, :], other=0.0)
        up = tl.load(where + INNER * H, mask=some[None, :], other=0.0)
        gates = tl.dot(left, gate, gates, input_precision="ieee")
        ups = tl.dot(left, up, ups, input_precision="ieee")
    product = gates / (1 + tl.exp(-gates)) * ups
    tl.store(
        out + places[:, None] * INNER + rows[None, :],
        product.to(out.dtype.element_ty),
        mask=inside[:, None] & some[None, :],
    )


@triton.jit
def gate_up_kernel(
    x, counts, lists, routed, shared, routed_inner, shared_inner, batch,
    H: tl.constexpr, TOP: tl.constexpr, INNER: tl.constexpr, SHARED: tl.constexpr,
    BM: tl.constexpr, BM_SHARED: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """First matrices of the shared MLP, by the first programs, and of the experts."""
    parts: tl.constexpr = (INNER + BN - 1) // BN
    common: tl.constexpr = (SHARED + BN - 1) // BN
    tile = tl.program_id(0)
    if tile < common:
        rows = tile * BN + tl.arange(0, BN)
        for start in range(0, batch, BM_SHARED):
            tokens = start + tl.arange(0, BM_SHARED)
            gated_tile(
                x, tokens, tokens < batch, tokens, shared, rows, shared_inner,
                H, SHARED, BM_SHARED, BN, BK,
            )  # fmt: skip
    else:
        expert = (tile - common) // parts
        rows = (tile - common) % parts * BN + tl.arange(0, BN)
        count = tl.load(counts + expert)
        weight = routed + expert.to(tl.int64) * 2 * INNER * H
        for start in range(0, count, BM):
            listed = start + tl.arange(0, BM)
            inside = listed < count
            pairs = tl.load(lists + expert * batch + listed, mask=inside, other=0)
            gated_tile(
                x, pairs // TOP, inside, pairs, weight, rows, routed_inner, H, INNER, BM, BN, BK
            )


@triton.jit
def down_kernel(
    routed_inner, shared_inner, counts, lists, routed, shared, routed_out, shared_out, batch,
    H: tl.constexpr, INNER: tl.constexpr, SHARED: tl.constexpr, BM: tl.constexpr,
    BM_SHARED: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Second matrices of the shared MLP and of the experts, one row of output for each pair."""
    parts: tl.constexpr = H // BN
    tile = tl.program_id(0)
    rows = tile % parts * BN + tl.arange(0, BN)
    if tile < parts:
        for start in range(0, batch, BM_SHARED):
            tokens = start + tl.arange(0, BM_SHARED)
            inside = tokens < batch
            total = tile_of(
                shared_inner, tokens, inside, shared, rows, rows < H, SHARED, BM_SHARED, BN, BK
            )
            out = shared_out + tokens[:, None] * H + rows[None, :]
            tl.store(out, total.to(shared_out.dtype.element_ty), mask=inside[:, None])
    else:
        expert = tile // parts - 1
        count = tl.load(counts + expert)
        weight = routed + expert.to(tl.int64) * H * INNER
        for start in range(0, count, BM):
            listed = start + tl.arange(0, BM)
            inside = listed < count
            pairs = tl.load(lists + expert * batch + listed, mask=inside, other=0)
            total = tile_of(routed_inner, pairs, inside, weight, rows, rows < H, INNER, BM, BN, BK)
            out = routed_out + pairs[:, None] * H + rows[None, :]
            tl.store(out, total.to(routed_out.dtype.element_ty), mask=inside[:, None])


@triton.jit
def gather_kernel(
    hidden, routed_out, shared_out, probabilities, norm, x,
    H: tl.constexpr, H2: tl.constexpr, EPS: tl.constexpr, TOP: tl.constexpr, ROUTED: tl.constexpr,
):  # fmt: skip
    """Add what a token's experts and the shared MLP give to the residual, and norm it."""
    row = tl.program_id(0)
    columns = tl.arange(0, H2)
    inside = columns < H
    value = tl.load(hidden + row * H + columns, mask=inside, other=0.0)
    value += tl.load(shared_out + row * H + columns, mask=inside, other=0.0).to(tl.float32)
    if ROUTED:
        for rank in tl.static_range(TOP):
            part = tl.load(routed_out + (row * TOP + rank) * H + columns, mask=inside, other=0.0)
            value += part.to(tl.float32) * tl.load(probabilities + row * TOP + rank)
    tl.store(hidden + row * H + columns, value, mask=inside)
    store_normed(value, norm, x, row, H, H2, EPS)
