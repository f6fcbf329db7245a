"""Runs in a pod: sends requests to a Service without pause and counts what comes back.

Called as `python - URL SECONDS PERIOD STOP WORKERS` with this file on standard input; a file called
STOP ends it early. The first worker keeps its connection, as clients with a pool do; the others
open a new one each time. Prints one JSON object: {"sent": n, "failures": n, "failed": [..the first
failures..], "failed_at": [..times..], "models": {...}, "first": {..when each model first
answered..}, "slowest_seconds": s}.
"""

import collections
import http.client
import json
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

PNG = (  # 32 x 32 white pixels
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJklEQVR42u3NMQ0AAAwDoPo33arYsQQMkB6LQCAQ"
    "CAQCgUAg+BIMi1X0ptsIcT0AAAAASUVORK5CYII="
)


class Worker(threading.Thread):
    """Sends one request after the other until the deadline."""

    def __init__(self, url: str, stop: threading.Event, period: float, *, keep: bool) -> None:
        super().__init__()
        self.url, self.stop, self.period, self.keep = urlsplit(url), stop, period, keep
        self.sent = 0
        self.failures: list[str] = []
        self.failed_at: list[float] = []
        self.models: collections.Counter[str] = collections.Counter()
        self.first: dict[str, float] = {}
        self.slowest_seconds = 0.0
        self.connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        while not self.stop.is_set():
            self.sent += 1
            started = time.monotonic()
            try:
                self.request()
            except Exception as error:  # noqa: BLE001 (every failure counts, whatever it is)
                self.failed_at.append(time.time())
                self.failures.append(f"{time.time():.3f} {type(error).__name__}: {error}"[:300])
                self.close()
            self.slowest_seconds = max(self.slowest_seconds, time.monotonic() - started)
            time.sleep(self.period)

    def request(self) -> None:
        if self.connection is None:
            host, port = self.url.hostname or "", self.url.port
            self.connection = http.client.HTTPConnection(host, port, timeout=30)
        body = json.dumps({"image_base64": PNG})
        headers = {"Content-Type": "application/json"}
        self.connection.request("POST", self.url.path, body, headers)
        response = self.connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise RuntimeError(f"{response.status} {answer[:200]!r}")
        model = json.loads(answer)["model"]
        self.models[model] += 1
        self.first.setdefault(model, time.time())
        if not self.keep or response.getheader("Connection", "").lower() == "close":
            self.close()

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def main(url: str, seconds: str, period: str, stop_file: str, count: str) -> None:
    deadline, stop = time.monotonic() + float(seconds), threading.Event()
    workers = [Worker(url, stop, float(period), keep=i == 0) for i in range(int(count))]
    for worker in workers:
        worker.start()
    while time.monotonic() < deadline and not Path(stop_file).exists():
        time.sleep(0.1)
    stop.set()
    for worker in workers:
        worker.join()
    failures = sorted(failure for worker in workers for failure in worker.failures)
    models: collections.Counter[str] = collections.Counter()
    first: dict[str, float] = {}
    for worker in workers:
        models.update(worker.models)
        first |= {m: min(t, first.get(m, t)) for m, t in worker.first.items()}
    result = {
        "sent": sum(worker.sent for worker in workers),
        "failures": len(failures),
        "failed": failures[:5],
        "failed_at": sorted(at for worker in workers for at in worker.failed_at),
        "models": models,
        "first": first,
        "slowest_seconds": round(max(worker.slowest_seconds for worker in workers), 3),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
