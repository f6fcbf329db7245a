"""Drives a decoder as plainly as can be: one prompt, greedy tokens, blocks of its own choice."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from docparser_runtime.engine.gpu.decoder import Chunk, Decoder, Step
from docparser_runtime.engine.gpu.pool import BLOCK_TOKENS, ring_start, slots
from torch import Tensor


@dataclass
class Running:
    """A prompt and what was generated after it."""

    prompt: Tensor
    table: Tensor
    window: int | None
    tokens: list[int] = field(default_factory=list)
    logits: list[Tensor] = field(default_factory=list)

    @property
    def reference_len(self) -> int:
        """Rows of the reference, with the newest token where all are seen."""
        return len(self.prompt) + (len(self.tokens) if self.window is None else 0)

    @property
    def newest_row(self) -> int:
        """Where the newest token goes."""
        generated = len(self.tokens) - 1
        if self.window is None:
            return len(self.prompt) + generated
        return ring_start(len(self.prompt)) + generated % self.window

    def take(self, logits: Tensor) -> None:
        """Go on with the most likely token."""
        self.logits.append(logits)
        self.tokens.append(int(logits.argmax()))


def begin(decoder: Decoder, rows: Tensor, blocks: Sequence[int]) -> Running:
    """Return a sequence not yet prefilled, whose blocks are `blocks`."""
    table = torch.tensor(blocks, dtype=torch.int32)
    return Running(rows, table, decoder.shape.window)


def prefill(decoder: Decoder, sequence: Running, chunk_lengths: Sequence[int]) -> None:
    """Prefill in chunks, and take the first token."""
    start = 0
    for length in chunk_lengths:
        chunk = Chunk(start, length, sequence.table)
        logits = decoder.prefill(sequence.prompt[start : start + length], [chunk])
        start += length
    assert start == len(sequence.prompt)
    sequence.take(logits[0])


def step(decoder: Decoder, sequences: Sequence[Running]) -> None:
    """Generate one more token for each."""
    longest = max(len(sequence.table) for sequence in sequences)
    tables = torch.zeros(len(sequences), longest, dtype=torch.int32)
    for row, sequence in zip(tables, sequences, strict=True):
        row[: len(sequence.table)] = sequence.table
    window = decoder.shape.window or 0
    logits = decoder.step(
        Step(
            tokens=torch.tensor([sequence.tokens[-1] for sequence in sequences]),
            positions=torch.tensor(
                [len(sequence.prompt) + len(sequence.tokens) - 1 for sequence in sequences]
            ),
            slots=torch.cat([slots(s.table, torch.tensor([s.newest_row])) for s in sequences]),
            block_tables=tables,
            reference_lens=torch.tensor(
                [sequence.reference_len for sequence in sequences], dtype=torch.int32
            ),
            ring_lens=torch.tensor(
                [min(len(sequence.tokens), window) for sequence in sequences], dtype=torch.int32
            ),
        )
    )
    for sequence, row in zip(sequences, logits, strict=True):
        sequence.take(row)


def blocks_for(prompt: int, output: int, window: int | None) -> int:
    """Return how many blocks a sequence needs."""
    if window is None:
        return -(-(prompt + output) // BLOCK_TOKENS)
    return -(-prompt // BLOCK_TOKENS) + -(-window // BLOCK_TOKENS)
