"""How large the models of both families are: parameters, tokens of a page, bytes per token.

All numbers are exact: they follow from the shapes in the published configurations. Family A is
DeepSeek-OCR-2, family B is Unlimited-OCR; both share one decoder.
"""

from dataclasses import dataclass
from enum import StrEnum

BF16_BYTES = 2
FP32_BYTES = 4


class Family(StrEnum):
    """The two families of models; the values are the names of their engines."""

    DEEPSEEK_OCR_2 = "deepseek-ocr2"
    UNLIMITED_OCR = "unlimited-ocr"


class KvDtype(StrEnum):
    """How keys and values are kept."""

    BF16 = "bf16"
    FP8 = "fp8"

    @property
    def bytes_per_value(self) -> int:
        """Bytes of one number."""
        return BF16_BYTES if self is KvDtype.BF16 else 1


@dataclass(frozen=True)
class DecoderSize:
    """The shape of the decoder, as far as it decides over memory."""

    layers: int = 12
    dense_layers: int = 1
    hidden: int = 1280
    heads: int = 10
    head_dim: int = 128
    dense_mlp: int = 6848
    experts: int = 64
    experts_per_token: int = 6
    expert_mlp: int = 896
    shared_mlp: int = 1792
    vocabulary: int = 129_280

    @property
    def router_parameters(self) -> int:
        """Parameters that choose the experts; they are kept in fp32."""
        return (self.layers - self.dense_layers) * self.experts * self.hidden

    @property
    def parameters(self) -> int:
        """All parameters, with the embedding and the output layer."""
        width = self.heads * self.head_dim
        attention = self.layers * 4 * self.hidden * width
        norms = (2 * self.layers + 1) * self.hidden
        dense = self.dense_layers * 3 * self.hidden * self.dense_mlp
        mlp = 3 * self.hidden * (self.experts * self.expert_mlp + self.shared_mlp)
        mixture = (self.layers - self.dense_layers) * mlp + self.router_parameters
        return 2 * self.vocabulary * self.hidden + attention + norms + dense + mixture

    def kv_bytes_per_token(self, dtype: KvDtype) -> int:
        """Return the bytes that one token's keys and values take over all layers."""
        return self.layers * 2 * self.heads * self.head_dim * dtype.bytes_per_value


DECODER = DecoderSize()


@dataclass(frozen=True)
class ModelSize:
    """One family.

    Attributes:
        decoder: its decoder.
        vision_parameters: those of both encoders, the projector and the separators.
        max_positions: most tokens of prompt and answer together.
        view_side: width and height of the global view, in pixels.
        tile_side: width and height of a tile, in pixels.
        most_tiles: most tiles of one page.
        view_tokens: tokens of a page without tiles, separators and line ends included.
    """

    decoder: DecoderSize
    vision_parameters: int
    max_positions: int
    view_side: int
    tile_side: int
    most_tiles: int
    view_tokens: int

    @property
    def parameters(self) -> int:
        """All parameters."""
        return self.decoder.parameters + self.vision_parameters

    @property
    def weight_bytes(self) -> int:
        """Bytes on the GPU: bf16, but the choice of experts in fp32."""
        extra = self.decoder.router_parameters * (FP32_BYTES - BF16_BYTES)
        return self.parameters * BF16_BYTES + extra


MODELS = {
    Family.DEEPSEEK_OCR_2: ModelSize(
        decoder=DECODER,
        vision_parameters=454_385_280,
        max_positions=8192,
        view_side=1024,
        tile_side=768,
        most_tiles=6,
        view_tokens=257,
    ),
    Family.UNLIMITED_OCR: ModelSize(
        decoder=DECODER,
        vision_parameters=400_770_048,
        max_positions=32_768,
        view_side=1024,
        tile_side=640,
        most_tiles=32,
        view_tokens=273,
    ),
}


def most_page_tokens(family: Family, max_tiles: int) -> int:
    """Return the most tokens that a page can take when it is cut into at most `max_tiles`.

    Raises:
        ValueError: the family knows no such number of tiles; 1 is never one.
    """
    model = MODELS[family]
    if max_tiles == 1 or not 0 <= max_tiles <= model.most_tiles:
        raise ValueError(f"{family} takes 0 or 2 to {model.most_tiles} tiles, not {max_tiles}")
    if family is Family.DEEPSEEK_OCR_2:
        return model.view_tokens + 144 * max_tiles
    # Each row of a tile's 10 x 10 tokens ends in one more: most when all tiles lie in one column.
    return model.view_tokens + 10 * max_tiles * 11
