"""What happens at start-up: addresses, damage, tables of other releases."""

from pathlib import Path

import pytest
from docparser_runtime.queue.addresses import database_url
from docparser_runtime.queue.failures import (
    QueueAddressInvalid,
    QueueDamaged,
    QueueSchemaTooNew,
)
from docparser_runtime.queue.migrating import migrate
from docparser_runtime.queue.schema import METADATA
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.task_errors import QueueUnavailable
from sqlalchemy import Engine, create_engine, inspect, text
from support.queue_releases import NewerRelease
from support.queues import RULES, QueueBench, a_job, claimed, page, told


@pytest.fixture
def newer(tmp_path: Path) -> NewerRelease:
    return NewerRelease(tmp_path)


def damage(file: Path, part: float, size: int = 8192) -> None:
    """Overwrite some of the file, from this part of it on."""
    begin = int(file.stat().st_size * part)
    with file.open("r+b") as opened:
        opened.seek(begin)
        opened.write(b"\xaa" * size)


def upgraded(file: Path, scripts: Path) -> None:
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        migrate(connection, scripts)
    engine.dispose()


@pytest.mark.parametrize(
    ("address", "driver"),
    [
        ("postgresql://ann:secret@host/db", "postgresql"),
        ("postgres://ann:secret@host:5433/db?sslmode=require", "postgresql"),
        ("sqlite:////data/queue.db", "sqlite"),
    ],
)
def test_addresses_are_taken_as_people_write_them(address: str, driver: str) -> None:
    assert database_url(address).drivername == driver


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ann:secret@host",
        "mysql://ann:secret@host/db",
        "postgresql://ann:secret@host:port/db",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_a_refused_address_is_not_quoted(address: str) -> None:
    with pytest.raises(QueueAddressInvalid) as refused:
        database_url(address)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None


async def test_a_database_that_does_not_answer_is_told_without_its_password() -> None:
    with pytest.raises(QueueUnavailable) as refused:
        await SqlQueue.open("postgresql://ann:secret@127.0.0.1:1/db", RULES)
    assert "secret" not in f"{refused.value}{refused.value.__cause__!r}"


@pytest.mark.parametrize("part", [0, 0.3, 0.6])
async def test_a_damaged_file_is_refused(file: Path, bench: QueueBench, part: float) -> None:
    damage(file, part)
    with pytest.raises(QueueDamaged):
        await SqlQueue.open(bench.address, RULES)


async def test_a_file_in_no_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(QueueUnavailable):
        await SqlQueue.open(f"sqlite:///{tmp_path}/missing/queue.db", RULES)


async def test_a_file_that_goes_away_is_an_outage(file: Path, bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        for path in file.parent.iterdir():
            damage(path, 0, path.stat().st_size)
        with pytest.raises(QueueUnavailable):
            await queue.cancel(job.id, "ann")


async def test_the_tables_are_made_once(tmp_path: Path) -> None:
    bench = QueueBench(f"sqlite:///{tmp_path}/new.db")
    async with bench.opened() as one, bench.opened() as other:
        job = await one.submit(a_job())
        assert await other.get(job.id, "ann") == job


def test_the_changes_make_the_tables_that_the_rules_know(file: Path) -> None:
    known = create_engine("sqlite://")
    METADATA.create_all(known)
    made = create_engine(f"sqlite:///{file}")
    assert _shape(made) == _shape(known)
    for engine in (known, made):
        engine.dispose()


def _shape(engine: Engine) -> dict[str, object]:
    found = inspect(engine)
    with engine.connect() as connection:
        indexes = connection.execute(
            text("SELECT name, lower(sql) FROM sqlite_master WHERE type = 'index'")
        )
        conditions = {
            name: sql.partition(" where ")[2].replace("queue_jobs.", "")
            for name, sql in indexes
            if sql
        }
    return {
        name: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(name)],
            sorted(str(i["name"]) + str(i["column_names"]) for i in found.get_indexes(name)),
            sorted(str(u["column_names"]) for u in found.get_unique_constraints(name)),
        )
        for name in found.get_table_names()
        if name != "queue_changes"
    } | {"": conditions}


async def test_an_old_worker_goes_on_while_a_newer_release_changes_the_tables(
    file: Path, bench: QueueBench, newer: NewerRelease
) -> None:
    async with bench.opened() as old:
        await old.submit(a_job())
        claim = await claimed(old)
        upgraded(file, newer.scripts)
        await old.save_pages(claim, [page(0)])
        await old.finish(claim, {})
        # And an old one that starts only now.
        async with bench.opened() as another:
            job = await another.submit(a_job())
            assert await told(old, job.id) == job
            await old.finish(await claimed(old), {})


async def test_tables_that_lack_what_is_needed_are_refused(
    file: Path, bench: QueueBench, newer: NewerRelease
) -> None:
    newer.take_something_away()
    upgraded(file, newer.scripts)
    with pytest.raises(QueueSchemaTooNew, match="9999"):
        await SqlQueue.open(bench.address, RULES)
