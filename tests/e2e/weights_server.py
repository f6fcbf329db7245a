"""Runs in a pod: serves weights below /good, and spoilt ones below the names in SPOILT.

Called as `python -m e2e.weights_server DIRECTORY PORT`. /sent tells how many bytes of each path
were sent.
"""

import json
import sys
import threading
from pathlib import Path

from support.file_server import Fault, FileServer, Request

SPOILT = ("wrong-byte", "short", "missing", "forbidden")
VICTIM = "fake.md"


def main(directory: str, port: str) -> None:
    root = Path(directory)
    server = FileServer(root, address="0.0.0.0", port=int(port))

    def fault(request: Request) -> Fault | None:
        _, kind, *parts = request.path.split("/")
        if kind == "sent":
            return Fault(content=json.dumps(server.sent).encode())
        content = (root / "-".join(parts)).read_bytes()
        if kind not in SPOILT or parts[-1] != VICTIM:
            return Fault(content=content)
        return {
            "wrong-byte": Fault(content=bytes([content[0] ^ 1]) + content[1:]),
            "short": Fault(content=content[:-1]),
            "missing": Fault(status=404),
            "forbidden": Fault(status=403),
        }[kind]

    server.fault = fault
    with server.running():
        threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
