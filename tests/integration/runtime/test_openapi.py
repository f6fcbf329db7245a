"""The service keeps to its own OpenAPI document, whatever is sent."""

import asyncio
import sys
from pathlib import Path

from docparser_api.names import ENV_DATA
from integration.runtime.processes import environment, serving

NOT_CHECKED = (
    # A document of bytes made at random is rightly refused.
    "positive_data_acceptance",
)


async def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    environ = environment() | {ENV_DATA: str(tmp_path / "data")}
    async with serving(environ) as program:
        process = await asyncio.create_subprocess_exec(
            *(Path(sys.executable).parent / "schemathesis", "run", f"{program.url}/openapi.json"),
            *("--max-examples", "8", "--seed", "1", "--exclude-checks", ",".join(NOT_CHECKED)),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await asyncio.wait_for(process.communicate(), 120)
        text = output.decode()
        assert process.returncode == 0, text
        assert await program.is_ready()
    print(text[-400:])
    assert not [line for line in program.log if line["level"] in {"error", "critical"}]
