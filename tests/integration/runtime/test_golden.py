"""The golden documents of the examples: read by the real engine, and compared by the command."""

import asyncio
import io
import json
from pathlib import Path

import numpy as np
import pytest
from docparser_api.golden import GoldenFault, GoldenReport, outcome_of
from docparser_runtime.engine.base import PageImage, ParseOptions
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from docparser_runtime.golden.commands import EXIT_TERMINATED
from docparser_runtime.golden.documents import documents_in
from docparser_runtime.golden.scores import scores
from integration.runtime.processes import COMMAND, environment, run, serving
from PIL import Image
from support.golden_documents import golden_documents
from unit.runtime.doubles import eventually

GOLDEN = Path(__file__).parents[3] / "examples" / "golden"
MOST_BYTES = 700 * 1024
"""With base64 this fits into a ConfigMap, which holds 1 MiB."""


def fake(text: str, **faults: int) -> dict[str, str]:
    return environment(fake={"text": text, **faults})


def arguments(canary: str, stable: str, log: Path, documents: Path = GOLDEN) -> tuple[str, ...]:
    return (
        *("golden", "--documents", str(documents), "--canary", canary, "--stable", stable),
        *("--termination-log", str(log), "--timeout-seconds", "30"),
    )


@pytest.mark.parametrize("document", documents_in(GOLDEN), ids=lambda document: document.name)
def test_the_real_engine_reads_the_documents(engine: RapidOcrEngine, document: object) -> None:
    (found,) = [one for one in documents_in(GOLDEN) if one == document]
    pixels = np.asarray(Image.open(io.BytesIO(found.content())).convert("RGB"))
    result = engine.parse(PageImage(0, pixels), ParseOptions(None))
    score = scores(found.expected, result.markdown)
    print(found.name, score)
    assert score.character_error_rate <= 0.02
    assert score.reading_order == 1
    assert score.table_similarity is None or score.table_similarity >= 0.98


def test_the_documents_are_those_that_the_generator_makes() -> None:
    made = golden_documents()
    assert {document.name: document.expected for document in documents_in(GOLDEN)} == {
        name: text for name, (_, text) in made.items()
    }
    assert sum(file.stat().st_size for file in GOLDEN.iterdir()) < MOST_BYTES


async def test_the_command_compares_two_services(tmp_path: Path) -> None:
    expected = (GOLDEN / "table__prices.md").read_text()
    log = tmp_path / "termination-log"
    async with serving(fake(expected)) as good, serving(fake("wrong", failPercent=50)) as bad:
        code, output, errors = await run(*arguments(bad.url, good.url, log), environ=environment())
    assert code == 0, errors
    assert output == log.read_text() + "\n"
    found = outcome_of(output)
    assert isinstance(found, GoldenReport)
    table = found.classes["table"]
    assert table.table_similarity is not None
    assert (table.table_similarity.stable, table.table_similarity.canary) == (1, 0)
    assert table.character_error_rate.stable == 0
    assert [failure.code for failure in found.failures] == ["engine_failed"]
    assert errors == "".join(f"{one.document}: canary: {one.code}\n" for one in found.failures)
    assert "bakery" not in (output + errors).lower()


async def test_the_command_leaves_when_told(tmp_path: Path) -> None:
    async with serving(fake("text", pageMilliseconds=600_000)) as service:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, *arguments(service.url, service.url, tmp_path / "log"), env=environment()
        )

        async def is_reading() -> bool:
            return await service.metric("docparser_requests_running") == 2

        await eventually(is_reading)
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 20) == EXIT_TERMINATED


async def test_the_command_tells_why_it_cannot_compare(tmp_path: Path) -> None:
    log = tmp_path / "termination-log"
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.png").write_bytes(b"x")
    command = arguments("http://a", "http://b", log, tmp_path / "set")
    code, output, errors = await run(*command, environ=environment())
    assert (code, errors) == (1, "")
    assert json.loads(output) == {
        "version": 1,
        "error": {"code": "missing_expected", "message": "a.png has no a.md beside it"},
    }
    assert isinstance(outcome_of(log.read_text()), GoldenFault)
