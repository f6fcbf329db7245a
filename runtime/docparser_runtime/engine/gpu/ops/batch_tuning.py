"""How the work of a decode step of many sequences is cut into programs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BatchTuning:
    """How the work is cut. Sizes of tiles are powers of two.

    Attributes:
        attention_rows: keys that a program of attention reads at once; a multiple of 32.
        attention_warps: of such a program.
        attention_programs: how many of them there are at least, if sequences are long enough.
        gate_rows: rows of gate, and as many of up, of a tile of an MLP.
        down_rows: rows of a tile of an MLP's second matrix.
        head_rows: rows of a tile of the head.
        warps: of a program of an MLP or of the head.
        stages: tiles that are on their way while one is computed.
        columns: of a tile.
    """

    attention_rows: int = 32
    attention_warps: int = 1
    attention_programs: int = 1056
    least_splits: int = 4
    gate_rows: int = 32
    down_rows: int = 64
    head_rows: int = 64
    warps: int = 2
    stages: int = 3
    columns: int = 128
    route_warps: int = 8


PLAIN_TUNING = BatchTuning()
