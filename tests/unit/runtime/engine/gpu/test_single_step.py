from dataclasses import replace

import pytest
from docparser_runtime.engine.gpu.ops.cuda_source import KernelError, compiled
from docparser_runtime.engine.gpu.ops.single_step import FILES, fits, macros
from docparser_runtime.engine.gpu.shapes import DecoderShape

pytestmark = pytest.mark.thorough  # imports torch, compiles CUDA

HOPPER = (9, 0)


def test_the_kernel_of_one_sequence_compiles_for_the_published_sizes() -> None:
    code = compiled(FILES, macros(DecoderShape(), blocks=132), HOPPER)
    assert code.startswith(b"\x7fELF")


def test_what_the_compiler_refuses_is_told() -> None:
    with pytest.raises(KernelError, match="NV"):
        compiled(FILES, {k: v for k, v in macros(DecoderShape(), 132).items() if k != "NV"}, HOPPER)


@pytest.mark.parametrize("change", [{"head_dim": 64}, {"experts": 32}, {"expert_mlp": 900}])
def test_other_sizes_are_left_to_the_kernels_of_batches(change: dict[str, int]) -> None:
    assert fits(DecoderShape())
    assert not fits(replace(DecoderShape(), **change))
