"""Puts a loaded model, its memory and its operations together to something that runs steps."""

import itertools
from dataclasses import dataclass
from pathlib import Path

import torch
from docparser_api.model_sizes import Family
from tokenizers import Tokenizer

from docparser_runtime.engine.base import WeightsInvalid
from docparser_runtime.engine.generation.kv_blocks import blocks_for
from docparser_runtime.engine.generation.repetition import guard_policy
from docparser_runtime.engine.generation.requests import Limits
from docparser_runtime.engine.generation.scheduler import Scheduler
from docparser_runtime.engine.gpu.decoder import Decoder
from docparser_runtime.engine.gpu.loop import Loop
from docparser_runtime.engine.gpu.model import LoadedModel
from docparser_runtime.engine.gpu.ops.select import GROUPED, PLAIN, Ops
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pages import Desk
from docparser_runtime.engine.gpu.pool import KvPool
from docparser_runtime.engine.gpu.prompting import Prompting
from docparser_runtime.engine.gpu.reading import TextTokenizer
from docparser_runtime.engine.gpu.runner import Device, Runner
from docparser_runtime.engine.gpu.sizing import Sizes
from docparser_runtime.engine.gpu.steps import PlainStepper, Stepper

_TOKENIZER = "tokenizer.json"


@dataclass(frozen=True)
class Place:
    """Where a model computes and in what.

    Attributes:
        device: the GPU, or a CPU.
        dtype: of weights, activations, keys and values.
        ops: the operations.
    """

    device: torch.device
    dtype: torch.dtype
    ops: Ops


def best_place() -> Place:
    """Return the first GPU or, without one, the CPU."""
    if torch.cuda.is_available():
        return Place(torch.device("cuda", 0), torch.bfloat16, GROUPED)
    return Place(torch.device("cpu"), torch.float32, PLAIN)


def desk_for(
    family: Family, model: LoadedModel, tokenizer: TextTokenizer, sizes: Sizes, place: Place
) -> Desk:
    """Return what pages are read with; its loop works until it is closed."""
    worker = Runner(device_for(family, model, sizes, place))
    loop = Loop(Scheduler(Limits(sequences=sizes.sequences), sizes.blocks), worker)
    loop.start()
    return Desk(family, Prompting(family, model.shape, tokenizer, itertools.count(1)), loop)


def device_for(family: Family, model: LoadedModel, sizes: Sizes, place: Place) -> Device:
    """Return what runs the steps of `model`, with all memory that it will need."""
    shape = model.shape
    guard = guard_policy(family, pages=1)
    state = StepState.empty(
        sizes.sequences,
        blocks_for(shape.max_positions),
        _power_of_two(guard.window),
        torch.tensor(sorted(guard.allowed)),
        place.device,
    )
    # One more: block 0 belongs to nobody.
    pool = KvPool.allocate(shape, sizes.blocks + 1, place.device, place.dtype)
    decoder = Decoder(shape, model.weights, pool, place.ops)
    stepper = _stepper(decoder, state, sizes, place, guard.run)
    return Device(model.vision, decoder, stepper, state, place.ops)


def _stepper(decoder: Decoder, state: StepState, sizes: Sizes, place: Place, run: int) -> Stepper:
    if place.device.type != "cuda":
        return PlainStepper(decoder, state, place.ops, run)
    # Only here: it needs Triton, without which a CPU does as well.
    from docparser_runtime.engine.gpu.graphs import StepGraphs  # noqa: PLC0415

    return StepGraphs(
        decoder.shape,
        decoder.weights,
        decoder.pool,
        decoder.rotary,
        state,
        graph_sizes(sizes.sequences),
    )


def graph_sizes(most: int) -> tuple[int, ...]:
    """Return the batch sizes for which steps are recorded, up to `most`.

    A batch is padded to the next one: by half at most, and by less than 16.
    """
    small = [size for size in (1, 2, 4, 6, 8, 12, 16, 24) if size < most]
    return (*small, *range(32, most, 16), most)


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def tokenizer_in(directory: Path) -> TextTokenizer:
    """Return the tokenizer among the weights.

    Raises:
        WeightsInvalid: it is missing or damaged.
    """
    path = directory / _TOKENIZER
    if not path.is_file():
        raise WeightsInvalid(f"there is no {_TOKENIZER} among the weights")
    try:
        return TextTokenizer(Tokenizer.from_file(str(path)))
    except Exception as error:  # noqa: BLE001 - the library raises nothing more specific
        raise WeightsInvalid(f"{_TOKENIZER} is damaged: {error}") from None
