"""Runs the scheduler's steps on the device."""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from docparser_runtime.engine.generation.requests import Chunk, DecodeStep, PrefillStep, VisionStep
from docparser_runtime.engine.gpu import decoder as decoding
from docparser_runtime.engine.gpu.decoder import Decoder
from docparser_runtime.engine.gpu.ops.select import Ops
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import ring_start, slots
from docparser_runtime.engine.gpu.sequence import Sequence
from docparser_runtime.engine.gpu.steps import Stepper, noise_for
from docparser_runtime.engine.gpu.vision.encoder import VisionEncoder

# Nothing but tables is shared, and it belongs to no row.
_SHARED = "allowed"


@dataclass(frozen=True)
class Device:
    """What computes: the vision side, the decoder, its steps and the rows that they move on."""

    vision: VisionEncoder
    decoder: Decoder
    stepper: Stepper
    state: StepState
    ops: Ops


class Runner:
    """Keeps the sequences in work, and those that write in the first rows of the state."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._sequences: dict[int, Sequence] = {}
        self._rows: list[int] = []

    def add(self, sequence: Sequence) -> None:
        """Take up a sequence."""
        self._sequences[sequence.id] = sequence

    def remove(self, request_id: int) -> None:
        """Forget a sequence. The last row takes the place of its own."""
        self._sequences.pop(request_id)
        if request_id not in self._rows:
            return
        row, last = self._rows.index(request_id), len(self._rows) - 1
        state = self._device.state
        for tensor in _per_row(state):
            tensor[row] = tensor[last]
        self._rows[row] = self._rows[last]
        self._rows.pop()
        _clear(state, last)

    def encode(self, step: VisionStep) -> None:
        """Encode pages."""
        pages = []
        for request_id, index in step.pages:
            page = self._sequences[request_id].pages[index]
            if page is None:
                raise RuntimeError(f"page {index} of request {request_id} is encoded already")
            pages.append(page)
        encoded = self._device.vision.encode(pages)
        for (request_id, index), rows in zip(step.pages, encoded, strict=True):
            sequence = self._sequences[request_id]
            sequence.features[index], sequence.pages[index] = rows, None

    @torch.inference_mode()
    def prefill(self, step: PrefillStep, tables: Mapping[int, Many[int]]) -> dict[int, list[int]]:
        """Take in runs of prompts; return the first token of each request whose prompt ended.

        Args:
            step: the runs.
            tables: the blocks of their requests, by id.
        """
        place = self._device.state.tokens.device
        blocks = {
            run.id: torch.tensor(tables[run.id], dtype=torch.int32, device=place)
            for run in step.chunks
        }
        rows = torch.cat([self._embedded(run) for run in step.chunks])
        chunks = [decoding.Chunk(run.start, run.length, blocks[run.id]) for run in step.chunks]
        logits = self._device.decoder.prefill(rows, chunks)
        first = {}
        for run, scores in zip(step.chunks, logits, strict=True):
            if run.is_last:
                token = self._first(self._sequences[run.id], scores.float())
                self._begin_row(self._sequences[run.id], token, blocks[run.id])
                first[run.id] = [int(token)]
        return first

    def decode(self, step: DecodeStep) -> dict[int, list[int]]:
        """Write tokens, and return those of each request."""
        if set(step.ids) != set(self._rows):
            raise RuntimeError("all that write do so together")
        batch = len(self._rows)
        sampled = []
        for _ in range(step.tokens):
            self._device.stepper.run(batch)
            sampled.append(self._device.state.sampled[:batch].clone())
        written = torch.stack(sampled, dim=1).tolist()
        return dict(zip(self._rows, written, strict=True))

    def _embedded(self, run: Chunk) -> Tensor:
        sequence, device = self._sequences[run.id], self._device
        tokens = sequence.tokens(run.start, run.length, device.state.tokens.device)
        rows = device.decoder.embed(tokens)
        sequence.show_pages(rows, run.start)
        if run.is_last:
            sequence.features.clear()
        return rows

    def _first(self, sequence: Sequence, scores: Tensor) -> Tensor:
        place = scores.device
        temperatures = torch.tensor([sequence.temperature], device=place)
        seeds = torch.tensor([sequence.seed], device=place)
        # Position of the last token of the prompt; that of the first written one comes next.
        positions = torch.tensor([len(sequence.prompt.tokens) - 1], device=place)
        noise = noise_for(temperatures, seeds, positions, len(scores))
        return self._device.ops.sample(scores[None], temperatures, noise)[0]

    def _begin_row(self, sequence: Sequence, token: Tensor, blocks: Tensor) -> None:
        """Give a row to a sequence whose newest token is its first."""
        state, row = self._device.state, len(self._rows)
        self._rows.append(sequence.id)
        window, length = self._device.decoder.shape.window, len(sequence.prompt.tokens)
        newest = length if window is None else ring_start(length)
        state.tokens[row] = token
        state.positions[row] = length
        state.slots[row] = slots(blocks, torch.tensor([newest], device=blocks.device))[0]
        state.block_tables[row, : len(blocks)] = blocks
        state.reference_lens[row] = length + (window is None)
        state.ring_lens[row] = int(window is not None)
        state.active[row] = 1
        state.temperatures[row] = sequence.temperature
        state.seeds[row] = sequence.seed
        state.history[row, -1] = token
        if sequence.guard is not None:
            state.windows[row] = sequence.guard.window
            state.sizes[row] = sequence.guard.run


def _per_row(state: StepState) -> list[Tensor]:
    return [getattr(state, field.name) for field in fields(state) if field.name != _SHARED]


def _clear(state: StepState, row: int) -> None:
    """Give a row back: nobody owns it, and what it writes goes to nobody's block."""
    for tensor in _per_row(state):
        tensor[row] = 0
    state.history[row] = -1
    state.reference_lens[row] = 1
