import errno
import io
import json

import pytest
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime import logs
from docparser_runtime.engine.base import EngineLoadError
from docparser_runtime.engine.fake import FakeEngine
from docparser_runtime.engine.registry import create_engine
from docparser_runtime.weights.errors import Code, InterruptedRead, WeightsError, storage
from docparser_runtime.weights.progress import Progress
from docparser_runtime.weights.retrying import Patience, Retrying
from docparser_runtime.weights.space import quantity_bytes, refuse_if_full
from unit.runtime.weights.model import Pod


@pytest.mark.parametrize(
    ("quantity", "size"),
    [
        ("5", 5),
        ("1500m", 1),
        ("2k", 2000),
        ("4Gi", 4 * 1024**3),
        ("1.5Ki", 1536),
        ("5e9", 5 * 10**9),
        ("1E", 10**18),
    ],
)
def test_quantities_in_bytes(quantity: str, size: int) -> None:
    assert quantity_bytes(quantity) == size


def test_nothing_missing_needs_no_room() -> None:
    refuse_if_full(0, 0)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, Code.DISK_FULL),
        (errno.EDQUOT, Code.DISK_FULL),
        (errno.EROFS, Code.CACHE_READ_ONLY),
        (errno.EIO, Code.STORAGE_FAILED),
    ],
)
def test_errors_of_the_file_system_have_codes(number: int, code: Code) -> None:
    with pytest.raises(WeightsError) as refusal, storage("a"):
        raise OSError(number, "reason")
    assert (refusal.value.code, refusal.value.file) == (code, "a")


def test_progress_is_told_now_and_then() -> None:
    stream = io.StringIO()
    now = [100.0]
    progress = Progress(logs.create(stream, "info"), "weights_fetching", 50, lambda: now[0])
    for _ in range(4):
        now[0] += 2.5
        progress.add(10)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    told = [(line["bytes_done"], line["bytes_total"], line["bytes_per_second"]) for line in lines]
    assert told == [(20, 50, 4), (40, 50, 4)]


async def test_patience_ends_with_the_time() -> None:
    now = [0.0]
    patience = Patience(Retrying(100, 0.001, 30), lambda: now[0])
    error = InterruptedRead(Code.SOURCE_UNAVAILABLE, "a", "b")
    await patience.after(error)
    now[0] = 29
    await patience.after(error)
    now[0] = 31
    with pytest.raises(InterruptedRead):
        await patience.after(error)


def test_an_engine_gets_verified_weights_only(pod: Pod) -> None:
    model = ModelSpec(engine="fake", weights=pod.weights())
    with pytest.raises(EngineLoadError, match="never verified"):
        create_engine(model, RuntimeConfig(), pod.places)
    pod.fetch()
    engine = create_engine(model, RuntimeConfig(), pod.places)
    assert isinstance(engine, FakeEngine)
    assert engine._weights == pod.target
