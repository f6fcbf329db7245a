"""What the tensors of published weights are called, brought to one form. Knows no torch.

Both families were published with the names of their authors' code; transformers saves them under
its own. The latter are the form that everything else here uses.
"""

import re
from collections.abc import Mapping

_PREFIX = r"^model\."
_SAM = "model.vision_tower.sam_encoder."
_ENCODER = "model.vision_tower.vision_encoder."

_RENAMES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"{_PREFIX}sam_model\.blocks\.(\d+)\.norm([12])\.", rf"{_SAM}layers.\1.layer_norm\2."),
        (rf"{_PREFIX}sam_model\.blocks\.(\d+)\.", rf"{_SAM}layers.\1."),
        (rf"{_PREFIX}sam_model\.patch_embed\.proj\.", f"{_SAM}patch_embed.projection."),
        (rf"{_PREFIX}sam_model\.pos_embed$", f"{_SAM}pos_embed"),
        (rf"{_PREFIX}sam_model\.neck\.0\.", f"{_SAM}neck.conv1."),
        (rf"{_PREFIX}sam_model\.neck\.1\.", f"{_SAM}neck.layer_norm1."),
        (rf"{_PREFIX}sam_model\.neck\.2\.", f"{_SAM}neck.conv2."),
        (rf"{_PREFIX}sam_model\.neck\.3\.", f"{_SAM}neck.layer_norm2."),
        (rf"{_PREFIX}sam_model\.net_2\.", f"{_SAM}proj.conv1."),
        (rf"{_PREFIX}sam_model\.net_3\.", f"{_SAM}proj.conv2."),
        (rf"{_PREFIX}qwen2_model\.model\.model\.", _ENCODER),
        (
            rf"{_PREFIX}qwen2_model\.query_(768|1024)\.",
            r"model.vision_tower.query_\1_resolution.",
        ),
        (rf"{_PREFIX}vision_model\.transformer\.", f"{_ENCODER}encoder."),
        (rf"{_PREFIX}vision_model\.", _ENCODER),
        (rf"{_PREFIX}projector\.layers\.", "model.multi_modal_projector."),
        (rf"{_PREFIX}view_seperator$", "model.view_separator"),
        (rf"{_PREFIX}(embed_tokens|layers|norm)\.", r"model.language_model.\1."),
    )
)

# Tensors that files carry and nobody reads: the second encoder takes the first one's output in
# place of patches, and positions are counted rather than stored.
_UNREAD = re.compile(
    r"\.vision_encoder\.embeddings\.(patch_embedding\.weight|position_ids)$"
    r"|\.rotary_emb\.inv_freq$"
)


def native_name(name: str) -> str:
    """Return what transformers calls the tensor that a file calls `name`."""
    for pattern, replacement in _RENAMES:
        renamed, count = pattern.subn(replacement, name)
        if count:
            return renamed
    return name


def is_read(native: str) -> bool:
    """Return whether anything is computed with the tensor of this native name."""
    return _UNREAD.search(native) is None


def by_native_name(names: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return, by native name, the name in the file and the file of each tensor that is read.

    Args:
        names: the file of each tensor, by its name there.
    """
    return {
        native: (name, file) for name, file in names.items() if is_read(native := native_name(name))
    }
