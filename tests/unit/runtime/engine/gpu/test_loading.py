"""Both layouts of both families load to the same tensors; anything amiss is refused by name."""

from pathlib import Path
from typing import Any

import pytest
import torch
from docparser_api.model_sizes import Family
from docparser_runtime.engine.base import WeightsInvalid
from docparser_runtime.engine.gpu.loading import decoder_tensors
from docparser_runtime.engine.gpu.model import LoadedModel, load_model
from safetensors.torch import load_file, save_file
from support import tiny_models
from torch import Tensor

pytestmark = pytest.mark.thorough  # torch and transformers take seconds to import

CPU = torch.device("cpu")


@pytest.fixture(scope="module", params=list(Family))
def family(request: pytest.FixtureRequest) -> Family:
    return Family(request.param)


@pytest.fixture(scope="module")
def peer(family: Family) -> Any:
    return tiny_models.of(family)


@pytest.fixture(scope="module", params=["original", "native"])
def saved(request: pytest.FixtureRequest, peer: Any, tmp_path_factory: Any) -> Path:
    directory: Path = tmp_path_factory.mktemp(request.param)
    return tiny_models.save(peer, directory, original=request.param == "original")


def load(directory: Path, family: Family, dtype: torch.dtype = torch.float32) -> LoadedModel:
    return load_model(directory, family, CPU, dtype)


def test_every_tensor_lands_where_it_belongs(family: Family, peer: Any, saved: Path) -> None:
    model = load(saved, family)
    theirs: dict[str, Tensor] = peer.state_dict()
    layers = "model.language_model.layers"
    weights = model.weights
    attention = [theirs[f"{layers}.1.self_attn.{name}_proj.weight"] for name in "qkv"]
    assert torch.equal(weights.qkv[1], torch.cat(attention))
    dense = [theirs[f"{layers}.0.mlp.{name}_proj.weight"] for name in ("gate", "up")]
    assert torch.equal(weights.dense_gate_up[0], torch.cat(dense))
    assert torch.equal(weights.router[1], theirs[f"{layers}.2.mlp.gate.weight"])
    assert torch.equal(weights.expert_gate_up[1], theirs[f"{layers}.2.mlp.experts.gate_up_proj"])
    assert torch.equal(weights.expert_down[0], theirs[f"{layers}.1.mlp.experts.down_proj"])
    assert torch.equal(weights.lm_head, theirs["lm_head.weight"])
    vision = model.vision.tensors()
    assert vision.keys() == {name for name in theirs if "language_model" not in name} - {
        "lm_head.weight"
    }
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in vision.items())


def test_the_report_counts_what_was_read(family: Family, saved: Path) -> None:
    report = load(saved, family).report
    size = (saved / "model.safetensors").stat().st_size
    assert report.bytes <= size < report.bytes + 100_000
    assert report.gigabytes_per_second > 0


def test_numbers_are_brought_to_the_type_asked_for_but_the_routers(
    family: Family, saved: Path
) -> None:
    model = load(saved, family, torch.bfloat16)
    types = {name: tensor.dtype for name, tensor in decoder_tensors(model.weights).items()}
    assert types.pop("router") is torch.float32
    assert set(types.values()) == {torch.bfloat16}
    assert {tensor.dtype for tensor in model.vision.tensors().values()} == {torch.bfloat16}


def changed(saved: Path, target: Path, changes: dict[str, Tensor | None]) -> Path:
    """Return a copy in which some tensors are others, or not there; split over two files."""
    tensors = load_file(saved / "model.safetensors")
    for name, tensor in changes.items():
        if tensor is None:
            del tensors[name]
        else:
            tensors[name] = tensor
    names = sorted(tensors)
    for index, part in enumerate((names[::2], names[1::2])):
        save_file({name: tensors[name] for name in part}, target / f"model-{index}.safetensors")
    (target / "config.json").write_bytes((saved / "config.json").read_bytes())
    return target


def test_tensors_may_lie_in_several_files(family: Family, saved: Path, tmp_path: Path) -> None:
    whole = decoder_tensors(load(saved, family).weights)
    parts = decoder_tensors(load(changed(saved, tmp_path, {}), family).weights)
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"lm_head.weight": None}, "missing from the weights: lm_head"),
        ({"model.surplus": torch.zeros(1)}, "unknown to this engine: model"),
        (
            {"lm_head.weight": torch.zeros(5, 64)},
            r"lm_head\.weight has size \(5, 64\), not \(160, 64\)",
        ),
    ],
)
def test_what_is_amiss_is_named(
    family: Family, saved: Path, tmp_path: Path, changes: dict[str, Tensor | None], named: str
) -> None:
    with pytest.raises(WeightsInvalid, match=named):
        load(changed(saved, tmp_path, changes), family)


def test_a_tensor_nobody_reads_may_be_there(family: Family, saved: Path, tmp_path: Path) -> None:
    unread = "model.vision_model.embeddings.patch_embedding.weight"
    load(changed(saved, tmp_path, {unread: torch.zeros(1)}), family)


def test_a_tensor_may_not_come_twice(family: Family, saved: Path, tmp_path: Path) -> None:
    directory = changed(saved, tmp_path, {})
    save_file({"lm_head.weight": torch.zeros(160, 64)}, directory / "more.safetensors")
    with pytest.raises(WeightsInvalid, match="two files hold the tensor lm_head"):
        load(directory, family)


def test_a_damaged_file_is_named(family: Family, saved: Path, tmp_path: Path) -> None:
    directory = changed(saved, tmp_path, {})
    (directory / "model-1.safetensors").write_bytes(b"\x80\x02K")
    with pytest.raises(WeightsInvalid, match=r"model-1\.safetensors is damaged"):
        load(directory, family)


def test_pickles_are_no_weights(family: Family, saved: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((saved / "config.json").read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x02K")
    with pytest.raises(WeightsInvalid, match="no safetensors file"):
        load(tmp_path, family)


def test_weights_without_a_config_are_refused(family: Family, tmp_path: Path) -> None:
    with pytest.raises(WeightsInvalid, match=r"config\.json cannot be read"):
        load(tmp_path, family)
