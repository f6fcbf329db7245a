"""The operations in plain torch: they run on any device and say what the Triton ones compute.

N is the number of tokens of a call, B of sequences, W of rows to look back on; A the attention
width, H the hidden width. Pools are those of one layer, [blocks, heads, 32, head_dim].
"""

import torch
from torch import Tensor
from torch.nn import functional

from docparser_runtime.engine.gpu.pool import BLOCK_TOKENS


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Return `x` [N, H] divided by its root mean square, computed in float32, times `weight`."""
    wide = x.float()
    normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    return weight * normed.to(x.dtype)


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Return the normed sum of `x` and `residual`, and the sum."""
    total = x + residual
    return rms_norm(total, weight, eps), total


def rotary_table(positions: int, head_dim: int, theta: float, device: torch.device) -> Tensor:
    """Return the cosines, then the sines, of each position: [positions, head_dim], float32."""
    steps = torch.arange(0, head_dim, 2, device=device, dtype=torch.int64).float()
    frequencies = 1.0 / (theta ** (steps / head_dim))
    angles = torch.arange(positions, device=device).float()[:, None] * frequencies
    return torch.cat((angles.cos(), angles.sin()), dim=-1)


def rotate_and_store(
    qkv: Tensor, rotary: Tensor, positions: Tensor, slots: Tensor, k_pool: Tensor, v_pool: Tensor
) -> Tensor:
    """Rotate queries and keys, write keys and values to the pool, and return the queries.

    Args:
        qkv: [N, 3A], queries, then keys, then values.
        rotary: what `rotary_table` returns.
        positions: [N] int64, of each token in its sequence.
        slots: [N] int64, where each token's row lies: block x 32 + place in the block.
        k_pool: keys of the layer; written to.
        v_pool: values of the layer; written to.

    Returns:
        [N, heads, head_dim].
    """
    heads, head_dim = k_pool.shape[1], k_pool.shape[3]
    q, k, v = qkv.view(-1, 3, heads, head_dim).unbind(1)
    cosines, sines = rotary[positions].to(qkv.dtype)[:, None].chunk(2, dim=-1)
    blocks, places = slots // BLOCK_TOKENS, slots % BLOCK_TOKENS
    k_pool[blocks, :, places] = _rotated(k, cosines, sines).to(k_pool.dtype)
    v_pool[blocks, :, places] = v.to(v_pool.dtype)
    return _rotated(q, cosines, sines)


def _rotated(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cosines - second * sines, second * cosines + first * sines), dim=-1)


def decode_attention(
    q: Tensor,
    k_pool: Tensor,
    v_pool: Tensor,
    block_tables: Tensor,
    reference_lens: Tensor,
    ring_lens: Tensor,
) -> Tensor:
    """Return what one query per sequence gathers from the rows that it sees.

    Args:
        q: [B, heads, head_dim].
        k_pool: keys of the layer.
        v_pool: values of the layer.
        block_tables: [B, most blocks] int32; the scratch block where a sequence has no more.
        reference_lens: [B] int32, rows of the reference; at least 1.
        ring_lens: [B] int32, rows of the ring, which starts at the first block behind the
            reference; 0 without a window.

    Returns:
        [B, A].
    """
    rows = torch.arange(block_tables.shape[1] * BLOCK_TOKENS, device=q.device)
    starts = (reference_lens + BLOCK_TOKENS - 1) // BLOCK_TOKENS * BLOCK_TOKENS
    ring = (rows >= starts[:, None]) & (rows < (starts + ring_lens)[:, None])
    visible = (rows < reference_lens[:, None]) | ring
    k, v = (_gathered(pool, block_tables, q.dtype) for pool in (k_pool, v_pool))
    return functional.scaled_dot_product_attention(
        q[:, :, None], k, v, attn_mask=visible[:, None, None]
    ).flatten(1)


def prefill_attention(
    q: Tensor, k_pool: Tensor, v_pool: Tensor, block_table: Tensor, start: int
) -> Tensor:
    """Return what each token of a chunk gathers from the rows of its sequence up to itself.

    Args:
        q: [N, heads, head_dim], the queries of rows `start` to `start + N`.
        k_pool: keys of the layer, those of the chunk among them.
        v_pool: values of the layer.
        block_table: [blocks] int32, of the sequence.
        start: rows before the chunk.

    Returns:
        [N, A].
    """
    count = q.shape[0]
    scores = functional.scaled_dot_product_attention
    table = block_table[None, : -(-(start + count) // BLOCK_TOKENS)]
    k, v = (_gathered(pool, table, q.dtype)[0, :, : start + count] for pool in (k_pool, v_pool))
    q, k, v = q.transpose(0, 1)[None], k[None], v[None]
    if start:
        # Not `is_causal`: this counts from the first row, and a later chunk starts behind it.
        rows = torch.arange(start + count, device=q.device)
        out = scores(q, k, v, attn_mask=rows <= rows[start:, None])
    else:
        # Faster than with a mask, and most prompts are taken in whole.
        out = scores(q, k, v, is_causal=True)
    return out[0].transpose(0, 1).flatten(1)


def _gathered(pool: Tensor, tables: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the rows of each table, [B, heads, rows, head_dim]."""
    return pool[tables.long()].transpose(1, 2).flatten(2, 3).to(dtype)


def route(x: Tensor, router: Tensor, top_k: int) -> tuple[Tensor, Tensor]:
    """Return the weights [N, top_k], float32, and ids [N, top_k], int64, of each token's experts.

    The weights are probabilities over all experts; they do not add up to 1.
    """
    scores = functional.linear(x.float(), router).softmax(-1)
    weights, ids = scores.topk(top_k, dim=-1)
    return weights, ids


def swiglu(gate_up: Tensor) -> Tensor:
    """Return silu(gate) x up of [N, 2 x inner], whose first half is the gate."""
    gate, up = gate_up.chunk(2, dim=-1)
    return functional.silu(gate) * up


def experts(x: Tensor, weights: Tensor, ids: Tensor, gate_up: Tensor, down: Tensor) -> Tensor:
    """Return the weighted sum of what each token's experts make of it.

    Args:
        x: [N, H].
        weights: [N, top_k] float32.
        ids: [N, top_k] int64.
        gate_up: [experts, 2 x inner, H].
        down: [experts, H, inner].

    Returns:
        [N, H].
    """
    out = torch.zeros_like(x)
    for expert in ids.flatten().bincount().nonzero().flatten().tolist():
        tokens, choices = torch.where(ids == expert)
        inner = swiglu(functional.linear(x[tokens], gate_up[expert]))
        seen = functional.linear(inner, down[expert]) * weights[tokens, choices, None]
        out.index_add_(0, tokens, seen.to(x.dtype))
    return out


def ban_ngrams(
    logits: Tensor, history: Tensor, windows: Tensor, size: int, allowed: Tensor
) -> None:
    """Make every token impossible that would repeat a run of `size` tokens.

    Args:
        logits: [B, vocabulary]; written to.
        history: [B, W] integers, the last W tokens of each sequence, the newest last; -1 where it
            has fewer.
        windows: [B] integers, how many of its last tokens each sequence looks at, W at most; 0 bans
            nothing.
        size: tokens in a run, at least 2.
        allowed: [any] integers, tokens that are never banned.
    """
    if history.shape[1] < size:
        return
    runs = history.unfold(1, size, 1)
    tail = history[:, None, history.shape[1] - size + 1 :]
    first_seen = history.shape[1] - windows
    in_window = torch.arange(runs.shape[1], device=history.device) >= first_seen[:, None]
    repeats = (runs[..., :-1] == tail).all(-1) & (runs >= 0).all(-1) & in_window
    last = runs[..., -1]
    banned = repeats & ~torch.isin(last, allowed)
    # The smaller of both: a token that one run bans, no other run allows again.
    penalty = torch.where(banned, -torch.inf, torch.inf).to(logits.dtype)
    logits.scatter_reduce_(1, last.clamp(min=0).long(), penalty, "amin")


def sample(logits: Tensor, temperatures: Tensor, noise: Tensor) -> Tensor:
    """Return the next token of each sequence, [B] int64.

    Args:
        logits: [B, vocabulary].
        temperatures: [B] float32; 0 takes the most likely token.
        noise: [B, vocabulary] or [B, 1], uniform in (0, 1); read where the temperature is above 0.
    """
    greedy = logits.argmax(-1)
    gumbel = -torch.log(-torch.log(noise))
    scaled = logits.float() / temperatures.clamp(min=1e-6)[:, None] + gumbel
    return torch.where(temperatures > 0, scaled.argmax(-1), greedy)
