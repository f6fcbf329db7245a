"""The vision side of a model: views of many pages in, rows for the decoder out."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from docparser_api.model_sizes import Family
from numpy.typing import NDArray
from torch import Tensor, nn

from docparser_runtime.engine.generation.tiling import Grid, Layout
from docparser_runtime.engine.gpu.vision.pixels import CutPage
from docparser_runtime.engine.gpu.vision.towers import projector_inputs, tower


class VisionEncoder(nn.Module):
    """Encodes views of equal size together, whichever pages they belong to.

    The names of its tensors are those of transformers without the leading `model.`.
    """

    def __init__(
        self,
        family: Family,
        config: Mapping[str, Any],
        hidden: int,
        device: torch.device,
        dtype: torch.dtype,
        batch: int = 16,
    ) -> None:
        super().__init__()
        self.vision_tower = tower(family, config, device, dtype)
        self.vision_tower.train(mode=False)
        self.multi_modal_projector = nn.Linear(
            projector_inputs(family, self.vision_tower), hidden, device=device, dtype=dtype
        )
        self.view_separator = nn.Parameter(torch.zeros(hidden, device=device, dtype=dtype))
        if family is Family.UNLIMITED_OCR:
            self.image_newline = nn.Parameter(torch.zeros(hidden, device=device, dtype=dtype))
        self._orders: dict[Grid, Tensor] = {}
        self._batch = batch

    def tensors(self) -> dict[str, Tensor]:
        """Return its tensors by the names that transformers gives them."""
        return {f"model.{name}": tensor for name, tensor in self.state_dict().items()}

    @torch.inference_mode()
    def encode(self, pages: Sequence[CutPage]) -> list[Tensor]:
        """Return the rows [tokens, hidden] of each page, in the order of the decoder's prompt."""
        wholes = self._encoded([page.whole for page in pages])
        tiles = iter(self._encoded([tile for page in pages for tile in page.tiles]))
        rows = []
        for page, whole in zip(pages, wholes, strict=True):
            parts = [*islice(tiles, len(page.tiles)), whole, *self._ends()]
            rows.append(torch.cat(parts)[self._order(page.layout)])
        return rows

    def _ends(self) -> list[Tensor]:
        """Return the rows that are learned: the end of a line, in family B, and the separator."""
        newline = getattr(self, "image_newline", None)
        separator = self.view_separator[None]
        return [separator] if newline is None else [newline[None], separator]

    def _order(self, layout: Layout) -> Tensor:
        if layout.grid not in self._orders:
            device = self.view_separator.device
            self._orders[layout.grid] = torch.tensor(list(layout.order()), device=device)
        return self._orders[layout.grid]

    def _encoded(self, views: Sequence[NDArray[np.uint8]]) -> list[Tensor]:
        """Return the projected tokens [tokens, hidden] of each view; all are of one size."""
        encoded: list[Tensor] = []
        for first in range(0, len(views), self._batch):
            pixels = torch.from_numpy(np.stack(views[first : first + self._batch]))
            features = self.vision_tower(self._scaled(pixels)).last_hidden_state
            encoded += self.multi_modal_projector(features).unbind()
        return encoded

    def _scaled(self, pixels: Tensor) -> Tensor:
        """Return uint8 pixels [views, side, side, 3] as -1 to 1, channels first, on the device."""
        weight = self.view_separator
        wide = pixels.to(weight.device, non_blocking=True).permute(0, 3, 1, 2).float()
        return ((wide / 255 - 0.5) / 0.5).to(weight.dtype).contiguous()
