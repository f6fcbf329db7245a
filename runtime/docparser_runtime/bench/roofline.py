"""What a decode step must read at least, and how long that takes at a given bandwidth."""

from docparser_runtime.engine.gpu.shapes import DecoderShape

_ELEMENT = 2  # bytes, of bfloat16
_ROUTER_ELEMENT = 4


def experts_touched(shape: DecoderShape, batch: int) -> float:
    """Return how many experts of a layer `batch` tokens visit, if they choose evenly."""
    return shape.experts * (1 - (1 - shape.top_k / shape.experts) ** batch)


def weight_bytes(shape: DecoderShape, batch: int) -> float:
    """Return the bytes of weights that a step of `batch` tokens must read."""
    hidden, width = shape.hidden, shape.attention_width
    attention = shape.layers * 4 * width * hidden
    dense = shape.first_dense_layers * 3 * shape.dense_mlp * hidden
    shared = shape.expert_layers * 3 * shape.shared_mlp * hidden
    routed = shape.expert_layers * experts_touched(shape, batch) * 3 * shape.expert_mlp * hidden
    router = shape.expert_layers * shape.experts * hidden * _ROUTER_ELEMENT
    head = (shape.vocab + batch) * hidden
    return (attention + dense + shared + routed + head) * _ELEMENT + router


def cache_bytes(shape: DecoderShape, batch: int, rows: int) -> float:
    """Return the bytes of keys and values of `rows` rows of each of `batch` sequences."""
    return float(2 * shape.layers * shape.attention_width * _ELEMENT * rows * batch)


def step_seconds(shape: DecoderShape, batch: int, rows: int, bytes_per_second: float) -> float:
    """Return how long a step takes that does nothing but read what it must."""
    total = weight_bytes(shape, batch) + cache_bytes(shape, batch, rows)
    return total / bytes_per_second
