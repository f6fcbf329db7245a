"""Bad documents, sent to a real server: each gets its answer, and nothing else happens."""

from integration.runtime.bombardment import toll_of
from integration.runtime.processes import environment, serving
from support.mutations import corpus

LIMITS = {
    "pageTimeoutSeconds": 1,
    "parserMemoryBytes": 256 * 1024**2,
    "renderDpi": 72,
    "maxPages": 50,
}
MEBIBYTE = 1024**2


async def test_a_server_survives_bad_documents() -> None:
    async with serving(environment(**LIMITS)) as program:
        toll = await toll_of(program, corpus(count=150, seed=5))
        assert toll.failures == {}
        assert sum(toll.answers.values()) == 150
        assert toll.answers["200"] > 10
        # Most were sound in their first bytes, so that a process was asked to open them.
        assert len(toll.parsers) > 50
        assert toll.sockets == 1
        before, after = toll.resident_bytes
        assert after - before < 100 * MEBIBYTE
        assert await program.is_ready()
