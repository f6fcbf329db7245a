# mypy: disable-error-code="import-untyped, no-untyped-def, untyped-decorator"
import pytest
import support.triton_interpreter  # noqa: F401 - so that it runs
import torch
import triton
import triton.language as tl
from docparser_runtime.engine.gpu.ops.sparse_attention import entmax15
from docparser_runtime.engine.gpu.pool import KvPool
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.sparse import SparseAttention, SparseSizes
from entmax import entmax15 as trusted_entmax15
from torch import Tensor

pytestmark = pytest.mark.thorough  # imports torch, interprets kernels

SHAPE = DecoderShape(layers=1, heads=2, head_dim=16, hidden=32)
BLOCKS = 80


@triton.jit
def _entmax_kernel(scores, out, count, BEST: tl.constexpr):  # noqa: ANN001, ANN202, N803 - of pointers
    places = tl.arange(0, BEST)
    tl.store(out + places, entmax15(tl.load(scores + places), count, BEST))


@pytest.mark.parametrize("count", [1, 2, 7, 16])
@pytest.mark.parametrize("spread", [0.05, 1.0, 20.0])
def test_entmax_is_that_of_the_package(count: int, spread: float) -> None:
    generator = torch.Generator().manual_seed(count)
    scores = (torch.randn(16, generator=generator) * spread).sort(descending=True).values
    out = torch.empty(16)
    _entmax_kernel[(1,)](scores, out, count, 16)
    expected = torch.zeros(16)
    expected[:count] = trusted_entmax15(scores[:count], dim=0)
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-4)


def _dense(  # noqa: PLR0913, PLR0917 - the case
    q: Tensor,
    k: Tensor,
    v: Tensor,
    reference: int,
    ring: int,
    first: int,
    count: int,
    sizes: SparseSizes,
) -> Tensor:
    """One head by a mask over all rows: q [D], k and v [rows, D], the ring last."""
    near = max(reference - (sizes.window - ring), 0)
    ring_start = -(-reference // 32) * 32
    bias = torch.full((len(k),), -torch.inf)
    bias[near:reference] = 0
    bias[ring_start : ring_start + ring] = 0
    blocks = range(first, min(first + count, near // 32))
    if len(blocks) > 0:
        scores = torch.stack([k[b * 32 : b * 32 + 32].mean(0) @ q for b in blocks]) * len(q) ** -0.5
        best = scores.topk(min(sizes.best, len(blocks)))
        likely = trusted_entmax15(best.values, dim=0)[: sizes.keep]
        kept = likely > 0
        prior = likely[kept].log() - likely[kept].log().mean()
        for block, value in zip(best.indices[: sizes.keep][kept].tolist(), prior, strict=True):
            at = (first + block) * 32
            bias[at : at + 32] = value
    weights: Tensor = ((k @ q) * len(q) ** -0.5 + bias).softmax(0)
    return weights @ v


@pytest.mark.parametrize(
    ("reference", "ring", "first", "count", "most"),
    [
        (1000, 128, 0, 31, 64),
        (1000, 5, 4, 9, 16),
        (64, 3, 0, 2, 64),
        (1500, 128, 0, 64, 128),
        (1000, 40, 30, 9, 16),
    ],
)
def test_sparse_attention_is_a_dense_one_under_a_mask(
    reference: int, ring: int, first: int, count: int, most: int
) -> None:
    torch.manual_seed(reference + ring)
    sizes = SparseSizes(candidates=most)
    pool = KvPool.allocate(SHAPE, BLOCKS, "cpu", torch.float32)
    pool.k.normal_(std=2.0)
    pool.v.normal_()
    table = (torch.randperm(BLOCKS - 1)[:60] + 1).to(torch.int32)
    q = torch.randn(1, 32)
    attention = SparseAttention(SHAPE, pool, 1, sizes, splits=3)
    attention.summarise(table[: reference // 32])
    attention.firsts.fill_(first)
    attention.counts.fill_(count)
    lens = torch.tensor([reference], dtype=torch.int32), torch.tensor([ring], dtype=torch.int32)
    out = torch.empty(1, 32)
    attention(0, q, table[None], *lens, out)
    for head in range(2):
        rows = slice(head * 16, head * 16 + 16)
        k, v = (p[0, table.long(), head].flatten(0, 1) for p in (pool.k, pool.v))
        expected = _dense(q[0, rows], k, v, reference, ring, first, count, sizes)
        torch.testing.assert_close(out[0, rows], expected, atol=1e-4, rtol=1e-4)
