"""A program that only asks must not load what answers."""

import subprocess
import sys

HEAVY = ("cv2", "fastapi", "numpy", "onnxruntime", "rapidocr", "sqlalchemy", "starlette")


def test_the_client_loads_no_server_and_no_engine() -> None:
    probe = f"""
import sys, docparser_runtime.client
own = [n for n in sys.modules if n.startswith("docparser_runtime.engine.") and "base" not in n]
print(sorted(set({HEAVY}) & set(sys.modules)), own)
"""
    command = [sys.executable, "-c", probe]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output == "[] []\n"
