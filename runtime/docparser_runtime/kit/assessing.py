"""Assesses a service and writes the report."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from docparser_runtime.client import Options
from docparser_runtime.kit import accuracy, classes, figures, measuring, report_page
from docparser_runtime.kit.measuring import Told
from docparser_runtime.kit.report import Report, error_kinds
from docparser_runtime.kit.samples import Sample
from docparser_runtime.kit.service import Service


@dataclass(frozen=True)
class Assessment:
    """What is assessed, and how.

    Attributes:
        seconds: how long each number of clients begins requests.
        timeout_seconds: longest time for one answer.
        most_errors: highest character error rate of a class that is accepted; None for any.
        options: how the samples are to be read.
    """

    server: str
    token: str | None = field(repr=False)
    most_clients: int
    seconds: float
    timeout_seconds: float
    most_errors: float | None
    options: Options = field(default_factory=Options)


async def report(asked: Assessment, samples: Sequence[Sample], told: Told) -> Report:
    """Return what the assessment finds out.

    Raises:
        ClientError: the service does not say what it is: it is gone, or the token is wrong.
        ValueError: the address is none.
    """
    service = Service(
        asked.server, asked.token, asked.most_clients, asked.timeout_seconds, asked.options
    )
    async with service, service.watched() as peaks:
        about = await service.about()
        told(f"reading {len(samples)} samples one at a time")
        singly = await measuring.alone(service, samples, asked.seconds)
        levels, failures = await measuring.levels(
            service, samples, asked.most_clients, asked.seconds, told, singly
        )
        address = service.address
    scored = await asyncio.to_thread(accuracy.accuracy, samples, singly.texts)
    most = asked.most_errors
    return Report(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        service=address,
        about=about,
        samples=len(samples),
        accuracy=scored,
        latency=figures.latency(singly.requests),
        classes=classes.by_class(samples, singly.requests),
        levels=levels,
        recommendation=figures.recommendation(levels),
        peaks=peaks,
        errors=error_kinds([*singly.failures, *failures]),
        most_errors=most,
        above_limit=() if most is None else accuracy.above(scored, most),
        tier=asked.options.tier,
    )


def write(found: Report, directory: Path) -> None:
    """Write `report.html` and `report.json`, over earlier ones.

    Raises:
        OSError: the directory cannot be made or written to.
    """
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "report.html").write_text(report_page.page(found), encoding="utf-8")
    (directory / "report.json").write_text(found.as_json(), encoding="utf-8")
