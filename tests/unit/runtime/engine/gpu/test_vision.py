"""Views, tiles and features of page images against those of transformers."""

from typing import Any

import numpy as np
import pytest
import torch
from docparser_api.model_sizes import MODELS, Family
from docparser_runtime.engine.generation.tiling import layout
from docparser_runtime.engine.gpu.model import load_model
from docparser_runtime.engine.gpu.vision.encoder import VisionEncoder
from docparser_runtime.engine.gpu.vision.pixels import CutPage, cut
from numpy.typing import NDArray
from support import tiny_models
from torch import Tensor
from transformers.models.deepseek_ocr2.image_processing_pil_deepseek_ocr2 import (
    DeepseekOcr2ImageProcessorPil,
)

pytestmark = pytest.mark.thorough  # torch and transformers take seconds to import

CPU = torch.device("cpu")
MOST_TILES = {Family.DEEPSEEK_OCR_2: 6, Family.UNLIMITED_OCR: 32}


def noise(width: int, height: int) -> NDArray[np.uint8]:
    generator = np.random.default_rng(width * height)
    coarse = generator.integers(0, 256, (height // 8 + 1, width // 8 + 1, 3), np.uint8)
    return np.repeat(np.repeat(coarse, 8, 0), 8, 1)[:height, :width].copy()


def cut_as_trained(family: Family, pixels: NDArray[np.uint8]) -> CutPage:
    height, width, _ = pixels.shape
    return cut(pixels, layout(family, width, height, MOST_TILES[family]))


@pytest.mark.parametrize(
    ("width", "height"), [(1240, 1754), (1754, 1240), (300, 1201), (1000, 1000), (640, 401)]
)
@pytest.mark.parametrize("family", list(Family))
def test_views_and_tiles_equal_those_of_the_models_processor(
    family: Family, width: int, height: int
) -> None:
    pixels = noise(width, height)
    ours = cut_as_trained(family, pixels)
    # That of family B is the same but for these two numbers, and needs torchvision.
    processor: Any = DeepseekOcr2ImageProcessorPil(
        tile_size=ours.layout.tile_side, max_patches=MOST_TILES[family]
    )
    theirs = processor(pixels, return_tensors="pt")
    assert theirs["num_local_patches"].tolist() == [ours.layout.grid.tiles]
    assert torch.allclose(scaled(ours.whole), theirs["pixel_values"][0], atol=1e-6)
    if ours.layout.grid.tiles:
        assert torch.allclose(scaled(ours.tiles), theirs["pixel_values_local"], atol=1e-6)


def scaled(pixels: NDArray[np.uint8]) -> Tensor:
    return (torch.from_numpy(pixels).movedim(-1, -3).float() / 255 - 0.5) / 0.5


@pytest.fixture(scope="module", params=list(Family))
def family(request: pytest.FixtureRequest) -> Family:
    return Family(request.param)


def test_an_original_config_means_the_published_sizes(family: Family) -> None:
    encoder = VisionEncoder(family, {}, 1280, torch.device("meta"), torch.bfloat16)
    parameters = sum(parameter.numel() for parameter in encoder.parameters())
    assert parameters == MODELS[family].vision_parameters


@pytest.fixture(scope="module")
def peer(family: Family) -> Any:
    return tiny_models.of(family)


@pytest.fixture(scope="module")
def encoder(family: Family, peer: Any, tmp_path_factory: pytest.TempPathFactory) -> VisionEncoder:
    directory = tiny_models.save(peer, tmp_path_factory.mktemp("model"), original=False)
    return load_model(directory, family, CPU, torch.float32).vision


def test_features_of_pages_together_equal_those_of_transformers(
    family: Family, peer: Any, encoder: VisionEncoder
) -> None:
    pages = [cut_as_trained(family, noise(*size)) for size in ((1300, 700), (500, 600))]
    ours = encoder.encode(pages)
    for page, rows in zip(pages, ours, strict=True):
        assert len(rows) == page.layout.prompt_tokens
        theirs = features(family, peer, page)
        assert (rows - theirs).abs().max() < 1e-4


def features(family: Family, peer: Any, page: CutPage) -> Tensor:
    """Return the rows of a page as transformers computes and orders them."""
    grid = page.layout.grid
    inputs: dict[str, Any] = {"pixel_values": scaled(page.whole)[None]}
    if grid.tiles:
        inputs |= {"pixel_values_local": scaled(page.tiles), "num_local_patches": [grid.tiles]}
        if family is Family.UNLIMITED_OCR:
            inputs["patches_grid"] = [[grid.columns, grid.rows]]
    with torch.inference_mode():
        rows: Tensor = peer.get_image_features(**inputs).pooler_output[0]
    return rows
