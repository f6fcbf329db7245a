"""Runs in a pod: sends requests to a Service without pause and counts what comes back.

Called as `python - URL SECONDS PERIOD [TOKEN]` with this file on standard input. One worker keeps
its connection, as clients with a pool do; another opens a new one each time. Prints one JSON
object: {"sent": n, "failed": [..first failures..], "failures": n, "models": {...}}.
"""

import collections
import http.client
import json
import sys
import threading
import time
from urllib.parse import urlsplit

PNG = (  # 32 x 32 white pixels
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJklEQVR42u3NMQ0AAAwDoPo33arYsQQMkB6LQCAQ"
    "CAQCgUAg+BIMi1X0ptsIcT0AAAAASUVORK5CYII="
)


class Worker(threading.Thread):
    """Sends one request after the other until the deadline."""

    def __init__(self, url: str, deadline: float, period: float, *, keep: bool) -> None:
        super().__init__()
        self.url, self.deadline, self.period, self.keep = urlsplit(url), deadline, period, keep
        self.sent = 0
        self.failures: list[str] = []
        self.models: collections.Counter[str] = collections.Counter()
        self.connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        while time.monotonic() < self.deadline:
            self.sent += 1
            try:
                self.request()
            except Exception as error:  # noqa: BLE001 (every failure counts, whatever it is)
                self.failures.append(f"{time.time():.3f} {type(error).__name__}: {error}"[:300])
                self.close()
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
        self.models[json.loads(answer)["model"]] += 1
        if not self.keep or response.getheader("Connection", "").lower() == "close":
            self.close()

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def main(url: str, seconds: str, period: str) -> None:
    deadline = time.monotonic() + float(seconds)
    workers = [Worker(url, deadline, float(period), keep=keep) for keep in (True, False)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    failures = [failure for worker in workers for failure in worker.failures]
    models: collections.Counter[str] = collections.Counter()
    for worker in workers:
        models.update(worker.models)
    result = {
        "sent": sum(worker.sent for worker in workers),
        "failures": len(failures),
        "failed": failures[:5],
        "models": models,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
