"""Services that are assessed by the command."""

import json
from pathlib import Path
from typing import Any

import pytest
from docparser_api.names import ENV_MODEL
from docparser_runtime.kit.measuring import alone
from docparser_runtime.kit.samples import Sample
from docparser_runtime.kit.service import MEMORY, Service
from docparser_runtime.kit.sets import sample_set, written
from integration.runtime.processes import environment, run, serving


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Two documents of one page: `plain_text` and `table`."""
    directory = tmp_path / "samples"
    wanted = ("plain_text", "table")
    made = [one for one in sample_set(1, 1) if one.file_name.partition("__")[0] in wanted]
    assert written(made, directory) == 2
    return directory


async def assessed(url: str, samples: Path, *more: str) -> tuple[int, dict[str, Any], str]:
    """Assess for a second per number of clients; return exit code, report and error output."""
    output = samples.parent / "out"
    code, _, errors = await run(
        *("assess", "--server", url, "--samples", str(samples), "--output", str(output)),
        *("--seconds", "1", *more),
        environ=environment(),
    )
    file = output / "report.json"
    return code, json.loads(file.read_text()) if file.exists() else {}, errors


async def test_a_service_is_assessed_under_load(samples: Path) -> None:
    environ = environment(fake={"pageMilliseconds": 100}, maxConcurrency=2)
    async with serving(environ) as program:
        more = ("--parallel", "4", "--tier", "high")
        code, report, errors = await assessed(program.url, samples, *more)
    assert code == 0, errors
    assert set(report["classes"]) == {"plain_text", "table"}
    for found in report["classes"].values():
        assert found["latency"]["p99_seconds"] >= found["latency"]["p50_seconds"] > 0
        assert found["vision_tokens_per_page"] > 0
        assert set(found["tiers"]) == {"high"}
    assert report["about"]["engine"] == "fake"
    assert report["latency"]["p50_seconds"] > 0.1
    assert report["errors"] == []
    one, two = report["levels"][:2]
    assert two["pages_per_second"] > one["pages_per_second"] * 1.3
    assert report["recommendation"]["clients"] >= 2
    assert report["peaks"][MEMORY] > 10_000_000
    page = (samples.parent / "out/report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "Recommended: " in page


async def test_refusals_end_the_load_and_are_no_errors(samples: Path) -> None:
    environ = environment(fake={"pageMilliseconds": 50}, maxConcurrency=1, maxQueueLength=0)
    async with serving(environ) as program:
        code, report, errors = await assessed(program.url, samples, "--parallel", "8")
    assert code == 0, errors
    assert [level["clients"] for level in report["levels"]] == [1, 2]
    assert report["levels"][1]["refused"] > 0
    assert report["recommendation"]["clients"] == 1


async def test_failures_and_wrong_texts_end_with_an_error(samples: Path) -> None:
    (samples / "broken__a.pdf").write_bytes(b"this is no document")
    async with serving(environment(fake={"text": "wrong"})) as program:
        more = ("--parallel", "1", "--max-cer", "0.02")
        code, report, _ = await assessed(program.url, samples, *more)
    assert code == 1
    assert report["above_limit"] == ["plain_text", "table"]
    (kind,) = report["errors"]
    assert (kind["code"], kind["files"]) == ("unsupported_media_type", ["broken__a.pdf"])


async def test_a_service_that_is_gone_is_told(samples: Path) -> None:
    async with serving(environment()) as program:
        gone = program.url
    code, report, errors = await assessed(gone, samples)
    assert (code, report) == (1, {})
    assert "cannot be reached" in errors


async def test_a_token_that_is_missing_is_told(samples: Path) -> None:
    environ = environment() | {"DOCPARSER_TOKEN": "s3cret"}
    file = samples.parent / "token"
    file.write_text("s3cret\n")
    async with serving(environ) as program:
        code, _, errors = await assessed(program.url, samples)
        assert (code, "unauthorized" in errors) == (1, True)
        more = ("--token-file", str(file), "--parallel", "1")
        code, report, errors = await assessed(program.url, samples, *more)
    assert code == 0, errors
    assert "s3cret" not in json.dumps(report)


async def test_made_samples_are_read_well(samples: Path) -> None:
    environ = environment() | {ENV_MODEL: json.dumps({"engine": "rapidocr"})}
    async with serving(environ) as program:
        code, report, errors = await assessed(
            program.url, samples, "--parallel", "1", "--max-cer", "0.02"
        )
    print(report["accuracy"])
    assert code == 0, errors
    assert report["accuracy"]["plain_text"]["character_error_rate"] < 0.02
    assert report["accuracy"]["table"]["table_similarity"] > 0.95


async def test_a_file_that_vanishes_is_a_failure(tmp_path: Path) -> None:
    async with serving(environment()) as program, Service(program.url, None, 1, 10) as service:
        found = await alone(service, [Sample(tmp_path / "gone.pdf", "default")], 0)
    assert [(failure.name, failure.code) for failure in found.failures] == [
        ("gone.pdf", "unreadable")
    ]


async def test_the_samples_command_makes_a_set(tmp_path: Path) -> None:
    directory = tmp_path / "made"
    arguments = ("samples", str(directory), "--most-pages", "1", "--seed", "7")
    code, _, errors = await run(*arguments, environ=environment())
    assert (code, "documents in" in errors) == (0, True)
    assert (directory / "rotated_scan__left.png").exists()
    code, _, errors = await run(*arguments, environ=environment())
    assert (code, "not empty" in errors) == (1, True)
