"""A program that only asks must not load what answers."""

import subprocess
import sys

HEAVY = ("cv2", "fastapi", "numpy", "onnxruntime", "rapidocr", "sqlalchemy", "starlette")


def test_the_client_loads_no_server_and_no_engine() -> None:
    probe = f"""
import sys, docparser_runtime.client
own = {{n.removeprefix("docparser_runtime.engine.") for n in sys.modules if ".engine." in n}}
print(sorted(set({HEAVY}) & set(sys.modules)), sorted(own - {{"base", "listening", "tiers"}}))
"""
    command = [sys.executable, "-c", probe]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output == "[] []\n"
