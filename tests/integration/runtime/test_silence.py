"""What the program leaves behind where nobody asked for it: nothing."""

import io
import json
import signal
from pathlib import Path

import httpx
from docparser_api.names import ENV_MODEL
from integration.runtime.processes import environment, serving
from PIL import Image
from unit.runtime.doubles import PARSE


def left_in(folder: Path) -> list[Path]:
    return [*folder.rglob("*")]


async def test_the_engine_keeps_no_records_of_its_use(tmp_path: Path) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (64, 48), "white").save(stream, "PNG")
    environ = environment(lameDuckSeconds=0)
    environ |= {ENV_MODEL: json.dumps({"engine": "rapidocr"}), "HOME": str(tmp_path)}
    environ |= {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environ.pop("ORT_DISABLE_TELEMETRY", None)
    async with (
        serving(environ) as program,
        httpx.AsyncClient(base_url=program.url, timeout=30) as client,
    ):
        answer = await client.post(PARSE, files={"file": ("p.png", stream.getvalue())})
        assert answer.status_code == 200
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0
    assert left_in(tmp_path) == []
