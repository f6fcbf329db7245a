# ruff: noqa: ANN001, ANN201, N803, PLR0913, PLR0917 - the arguments of kernels are pointers, numbers, CONSTANTS
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, import-untyped"
"""What surrounds the layers of a decode step on the GPU: bans before it, bookkeeping after it."""

import triton
import triton.language as tl


@triton.jit
def ban_repeats(
    row, history, window, size, allowed, banned, marks,
    LOOK_BACK: tl.constexpr, VOCAB: tl.constexpr, ALLOWED: tl.constexpr,
):  # fmt: skip
    """Mark in `banned` the tokens that would repeat a run of `size` tokens; `marks` lists them."""
    history += row * LOOK_BACK
    places = tl.arange(0, LOOK_BACK)
    same = (places >= LOOK_BACK - window) & (places + size <= LOOK_BACK) & (size > 1)
    for step in range(size - 1):
        seen = tl.load(history + places + step, mask=places + step < LOOK_BACK, other=-1)
        wanted = tl.load(history + LOOK_BACK - size + 1 + step)
        same &= (seen == wanted) & (seen >= 0)
    last = places + size - 1
    token = tl.load(history + last, mask=same & (last < LOOK_BACK), other=-1).to(tl.int32)
    for item in tl.static_range(ALLOWED):
        token = tl.where(token == tl.load(allowed + item).to(tl.int32), -1, token)
    tl.store(marks + row * LOOK_BACK + places, token)
    tl.store(banned + row * VOCAB + token, tl.full([LOOK_BACK], 1, tl.uint8), mask=token >= 0)


@triton.jit
def lift_bans(row, banned, marks, LOOK_BACK: tl.constexpr, VOCAB: tl.constexpr):
    """Undo what `ban_repeats` marked."""
    token = tl.load(marks + row * LOOK_BACK + tl.arange(0, LOOK_BACK))
    tl.store(banned + row * VOCAB + token, tl.zeros([LOOK_BACK], tl.uint8), mask=token >= 0)


@triton.jit
def take_token(
    row, token, tokens, positions, slots, tables, reference_lens, ring_lens, active, history,
    COLUMNS: tl.constexpr, WINDOW: tl.constexpr, LOOK_BACK: tl.constexpr,
):  # fmt: skip
    """Make `token` the newest of sequence `row`, unless nobody owns the row."""
    if tl.load(active + row) != 0:
        tl.store(tokens + row, token.to(tl.int64))
        position = tl.load(positions + row).to(tl.int32) + 1
        tl.store(positions + row, position.to(tl.int64))
        length = tl.load(reference_lens + row)
        if WINDOW > 0:
            made = position - length
            place = (length + 31) // 32 * 32 + made % WINDOW
            tl.store(ring_lens + row, tl.minimum(made + 1, WINDOW))
        else:
            place = position
            tl.store(reference_lens + row, length + 1)
        # After its last token a sequence may point behind its blocks; nothing goes there.
        block = tl.load(tables + row * COLUMNS + tl.minimum(place // 32, COLUMNS - 1))
        tl.store(slots + row, block.to(tl.int64) * 32 + place % 32)
        history += row * LOOK_BACK
        places = tl.arange(0, LOOK_BACK)
        newer = places + 1 < LOOK_BACK
        shifted = tl.load(history + places + 1, mask=newer, other=0)
        tl.debug_barrier()
        tl.store(history + places, tl.where(newer, shifted, token.to(shifted.dtype)))


@triton.jit
def gumbel_noise(seed, position, token):
    """Return noise that depends on these alone, for the temperature of a sequence.

    `single_mlp.cu` has the same: what is drawn does not depend on the batch.
    """
    x = seed.to(tl.uint64) + (position.to(tl.uint64) + 1) * 0x9E3779B97F4A7C15
    which = token.to(tl.uint64)
    x = x ^ ((which << 32) | which)
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB
    x = x ^ (x >> 31)
    uniform = ((x >> 40).to(tl.float32) + 0.5) * (1.0 / 16777216.0)
    return -tl.log(-tl.log(uniform))


@triton.jit
def begin_kernel(
    history, windows, sizes, allowed, banned, marks, counter,
    VOCAB: tl.constexpr, LOOK_BACK: tl.constexpr, ALLOWED: tl.constexpr,
):  # fmt: skip
    """Ban what must not follow, and set the counter of arrivals back."""
    row = tl.program_id(0)
    if row == 0:
        tl.store(counter, 0)
    window, size = tl.load(windows + row).to(tl.int32), tl.load(sizes + row).to(tl.int32)
    ban_repeats(row, history, window, size, allowed, banned, marks, LOOK_BACK, VOCAB, ALLOWED)


@triton.jit
def end_kernel(
    bests, candidates, tokens, positions, slots, tables, reference_lens, ring_lens, active,
    history, banned, marks, sampled,
    TILES: tl.constexpr, TILES2: tl.constexpr, COLUMNS: tl.constexpr, WINDOW: tl.constexpr,
    LOOK_BACK: tl.constexpr, VOCAB: tl.constexpr,
):  # fmt: skip
    """Take each sequence's best token, from the best of each tile of the vocabulary."""
    row = tl.program_id(0)
    tiles = tl.arange(0, TILES2)
    inside = tiles < TILES
    scores = tl.load(bests + row * TILES + tiles, mask=inside, other=-float("inf"))
    ids = tl.load(candidates + row * TILES + tiles, mask=inside, other=VOCAB)
    token = tl.min(tl.where(scores == tl.max(scores), ids, VOCAB))
    tl.store(sampled + row, token.to(tl.int64))
    lift_bans(row, banned, marks, LOOK_BACK, VOCAB)
    take_token(
        row, token, tokens, positions, slots, tables, reference_lens, ring_lens, active, history,
        COLUMNS, WINDOW, LOOK_BACK,
    )  # fmt: skip
