"""Our decoder against transformers' own, in float32, token by token."""

import dataclasses
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from docparser_api.model_sizes import Family
from docparser_runtime.engine.gpu.decoder import Chunk, Decoder
from docparser_runtime.engine.gpu.model import LoadedModel, load_model
from docparser_runtime.engine.gpu.ops.select import PLAIN
from docparser_runtime.engine.gpu.pool import KvPool
from support import sequences, tiny_models
from torch import Tensor
from transformers import DynamicCache

pytestmark = pytest.mark.thorough  # torch and transformers take seconds to import

OUTPUT = 200
BLOCKS = 64
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Pair:
    """The same weights in transformers and in ours."""

    peer: Any
    ours: LoadedModel

    def decoder(self) -> Decoder:
        """Return a decoder with an empty pool."""
        return self.with_window(self.ours.shape.window)

    def with_window(self, window: int | None) -> Decoder:
        """Return a decoder with an empty pool, whose window is another."""
        shape = dataclasses.replace(self.ours.shape, window=window)
        pool = KvPool.allocate(shape, BLOCKS, CPU, torch.float32)
        return Decoder(shape, self.ours.weights, pool, PLAIN)

    def embedded(self, tokens: list[int]) -> Tensor:
        """Return the rows of `tokens`, as transformers has them."""
        embedding: Any = self.peer.get_input_embeddings()
        with torch.inference_mode():
            rows: Tensor = embedding(torch.tensor(tokens))
        return rows


@pytest.fixture(scope="module", params=list(Family))
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    peer = tiny_models.of(request.param)
    directory = tiny_models.save(peer, tmp_path_factory.mktemp("model"), original=True)
    return Pair(peer, load_model(directory, request.param, CPU, torch.float32))


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - not for secrets


def prompt(length: int, seed: int = 0) -> list[int]:
    return seeded(seed).choices(range(2, tiny_models.IMAGE_TOKEN), k=length)


def generated(
    decoder: Decoder, rows: Tensor, output: int, chunks: list[int] | None = None, first: int = 1
) -> sequences.Running:
    """Return a sequence alone in a batch, whose blocks lie apart and in no order."""
    needed = sequences.blocks_for(len(rows), output, decoder.shape.window)
    blocks = seeded(first).sample(range(1, BLOCKS), needed)
    running = sequences.begin(decoder, rows, blocks)
    sequences.prefill(decoder, running, chunks or [len(rows)])
    for _ in range(output - 1):
        sequences.step(decoder, [running])
    return running


def test_greedy_tokens_and_logits_equal_those_of_transformers(pair: Pair) -> None:
    tokens = prompt(77)
    with torch.inference_mode():
        theirs = pair.peer.generate(
            torch.tensor([tokens]),
            attention_mask=torch.ones(1, len(tokens), dtype=torch.long),
            max_new_tokens=OUTPUT,
            do_sample=False,
            output_logits=True,
            return_dict_in_generate=True,
        )
    ours = generated(pair.decoder(), pair.embedded(tokens), OUTPUT)
    assert ours.tokens == theirs.sequences[0, len(tokens) :].tolist()
    assert (torch.stack(ours.logits) - torch.cat(theirs.logits)).abs().max() < 1e-4


@pytest.mark.parametrize("length", [1, 31, 32, 33])
def test_every_length_of_prompt_has_the_logits_of_transformers(pair: Pair, length: int) -> None:
    tokens = prompt(length)
    ours = generated(pair.decoder(), pair.embedded(tokens), 60)
    cache = DynamicCache(config=pair.peer.config)
    with torch.inference_mode():
        parts = [
            pair.peer(torch.tensor([part]), cache=cache, use_cache=True).logits[0]
            for part in (tokens, ours.tokens[:-1])
        ]
    theirs = torch.cat(parts)[length - 1 :]
    assert (torch.stack(ours.logits) - theirs).abs().max() < 1e-4


def test_a_prompt_in_chunks_equals_the_whole(pair: Pair) -> None:
    rows = pair.embedded(prompt(100))
    whole = generated(pair.decoder(), rows, 20)
    for chunks in ([32, 68], [1, 62, 37], [99, 1]):
        parts = generated(pair.decoder(), rows, 20, chunks)
        assert parts.tokens == whole.tokens
        assert torch.allclose(torch.stack(parts.logits), torch.stack(whole.logits), atol=1e-5)


def test_a_changing_batch_equals_each_sequence_alone(pair: Pair) -> None:
    prompts = [pair.embedded(prompt(length, seed=length)) for length in (3, 64, 90, 33)]
    outputs = (70, 15, 50, 30)
    alone = [
        generated(pair.decoder(), rows, output)
        for rows, output in zip(prompts, outputs, strict=True)
    ]
    decoder = pair.decoder()
    waiting = list(zip(prompts, outputs, _blocks(decoder, prompts, outputs), strict=True))
    running: list[tuple[sequences.Running, int]] = []
    done: dict[int, sequences.Running] = {}
    for round_ in itertools.count():
        if waiting and round_ % 7 == 0:
            # The last comes first: no order may matter.
            rows, output, blocks = waiting.pop()
            newcomer = sequences.begin(decoder, rows, blocks)
            sequences.prefill(decoder, newcomer, [len(rows)])
            running.append((newcomer, output))
        if not running:
            break
        sequences.step(decoder, [sequence for sequence, _ in running])
        done |= {output: sequence for sequence, output in running if len(sequence.tokens) == output}
        running = [(sequence, output) for sequence, output in running if output not in done]
    for output, single in zip(outputs, alone, strict=True):
        assert done[output].tokens == single.tokens


def _blocks(
    decoder: Decoder, prompts: list[Tensor], outputs: tuple[int, ...]
) -> Iterator[list[int]]:
    free = list(range(1, BLOCKS))
    seeded(5).shuffle(free)
    for rows, output in zip(prompts, outputs, strict=True):
        needed = sequences.blocks_for(len(rows), output, decoder.shape.window)
        yield [free.pop() for _ in range(needed)]


def test_prompts_prefilled_together_equal_each_alone(pair: Pair) -> None:
    decoder = pair.decoder()
    prompts = [pair.embedded(prompt(length, seed=length)) for length in (40, 5)]
    tables = [torch.tensor(blocks, dtype=torch.int32) for blocks in ([9, 3], [5])]
    chunks = [Chunk(0, len(rows), table) for rows, table in zip(prompts, tables, strict=True)]
    together = decoder.prefill(torch.cat(prompts), chunks)
    for logits, rows in zip(together, prompts, strict=True):
        alone = generated(pair.decoder(), rows, 1)
        assert torch.allclose(logits, alone.logits[0], atol=1e-5)


def test_a_window_longer_than_the_output_changes_nothing(pair: Pair) -> None:
    rows = pair.embedded(prompt(50))
    full = generated(pair.with_window(None), rows, 48)
    windowed = generated(pair.with_window(48), rows, 48)
    shorter = generated(pair.with_window(16), rows, 48)
    assert full.tokens == windowed.tokens
    assert full.tokens != shorter.tokens
