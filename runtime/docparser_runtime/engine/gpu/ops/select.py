"""Which implementation of each operation a device gets; chosen once, before anything runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from torch import Tensor

from docparser_runtime.engine.gpu.ops import grouped, plain


@dataclass(frozen=True)
class Ops:
    """The operations of the decoder. `ops/plain.py` says what each takes, returns and means."""

    rms_norm: Callable[[Tensor, Tensor, float], Tensor]
    add_rms_norm: Callable[[Tensor, Tensor, Tensor, float], tuple[Tensor, Tensor]]
    rotate_and_store: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
    decode_attention: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
    prefill_attention: Callable[[Tensor, Tensor, Tensor, Tensor, int], Tensor]
    route: Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]
    swiglu: Callable[[Tensor], Tensor]
    experts: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
    ban_ngrams: Callable[[Tensor, Tensor, Tensor, int, Tensor], None]
    sample: Callable[[Tensor, Tensor, Tensor], Tensor]


PLAIN = Ops(
    rms_norm=plain.rms_norm,
    add_rms_norm=plain.add_rms_norm,
    rotate_and_store=plain.rotate_and_store,
    decode_attention=plain.decode_attention,
    prefill_attention=plain.prefill_attention,
    route=plain.route,
    swiglu=plain.swiglu,
    experts=plain.experts,
    ban_ngrams=plain.ban_ngrams,
    sample=plain.sample,
)

# Prompts of many tokens visit all experts: on a GPU one launch for all of them, and no waiting for
# the host to learn which they are.
GROUPED = replace(PLAIN, experts=grouped.experts)
