"""What the GPU knows of the sequences of a batch, kept in place for CUDA graphs."""

from dataclasses import dataclass, fields

import torch
from torch import Tensor


@dataclass(frozen=True)
class StepState:
    """The rows of B sequences; a step reads them and moves them on by one token.

    Attributes:
        tokens: [B] int64, the newest token of each.
        positions: [B] int64, its position in the sequence.
        slots: [B] int64, where its keys and values go: block x 32 + place in the block.
        block_tables: [B, most blocks] int32.
        reference_lens: [B] int32, rows of the reference that it sees; at least 1.
        ring_lens: [B] int32, rows of the ring that it sees, itself among them.
        active: [B] int32, 0 where nobody owns the row: then a step leaves it as it is.
        temperatures: [B] float32; 0 takes the most likely token.
        seeds: [B] int64, of the noise of a temperature.
        history: [B, look back] int32, the last tokens, the newest last; -1 where there are fewer.
        windows: [B] int32, how many of the last tokens the ban of repeats looks at; 0 bans nothing.
        sizes: [B] int32, tokens in a run that must not come twice.
        allowed: [any] int32, tokens that are never banned.
        sampled: [B] int64, what the last step chose.
    """

    tokens: Tensor
    positions: Tensor
    slots: Tensor
    block_tables: Tensor
    reference_lens: Tensor
    ring_lens: Tensor
    active: Tensor
    temperatures: Tensor
    seeds: Tensor
    history: Tensor
    windows: Tensor
    sizes: Tensor
    allowed: Tensor
    sampled: Tensor

    @classmethod
    def empty(
        cls, batch: int, blocks: int, look_back: int, allowed: Tensor, device: torch.device | str
    ) -> "StepState":
        """Return rows that nobody owns.

        Args:
            batch: sequences.
            blocks: most blocks of a sequence.
            look_back: most tokens that the ban of repeats looks at; a power of two.
            allowed: tokens that are never banned.
            device: where the rows are kept.
        """
        wide = {name: torch.zeros(batch, dtype=torch.int64, device=device) for name in _WIDE}
        narrow = {name: torch.zeros(batch, dtype=torch.int32, device=device) for name in _NARROW}
        return cls(
            **wide,
            **narrow,
            reference_lens=torch.ones(batch, dtype=torch.int32, device=device),
            temperatures=torch.zeros(batch, dtype=torch.float32, device=device),
            block_tables=torch.zeros(batch, blocks, dtype=torch.int32, device=device),
            history=torch.full((batch, look_back), -1, dtype=torch.int32, device=device),
            allowed=allowed.to(device=device, dtype=torch.int32),
        )

    def rows(self, batch: int) -> "StepState":
        """Return the first `batch` rows, as views."""
        shared = {field.name: getattr(self, field.name) for field in fields(self)}
        return StepState(
            **{
                name: tensor if name == "allowed" else tensor[:batch]
                for name, tensor in shared.items()
            }
        )


_WIDE = ("tokens", "positions", "slots", "seeds", "sampled")
_NARROW = ("ring_lens", "active", "windows", "sizes")
