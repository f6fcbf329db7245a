"""Runs in a pod: hands in many documents at once and waits until all have been read.

Called as `python - URL DOCUMENTS PAGES SECONDS` with this file on standard input. Prints one JSON
object: {"documents": n, "states": {...}, "models": {...}, "waits": [..seconds of each
document until the work on it began..], "seconds": from the first document to the last result,
"late": ids of those that had not ended in time}.
"""

import collections
import http.client
import json
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

CLIENTS = 8
TASKS = "/v1/document/tasks"
AGAIN_SECONDS = 0.5
BUSY = 429


def pdf(pages: int) -> bytes:
    """Return a document of so many empty pages."""
    kids = " ".join(f"{number} 0 R" for number in range(3, 3 + pages))
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
        *[page] * pages,
    ]
    text = "%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    start = len(text)
    text += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    text += "".join(f"{place:010d} 00000 n \n" for place in places)
    text += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return text.encode()


class Service:
    """The service at an address. A request whose connection breaks is repeated, as clients do."""

    def __init__(self, url: str, until: float) -> None:
        self.host, self.until = urlsplit(url).netloc, until
        self.name = uuid.uuid4().hex

    def asked(self, method: str, path: str, body: bytes | None, **headers: str) -> dict[str, Any]:
        """Return the answer to a request, repeated until it succeeds or the time is over."""
        while True:
            try:
                connection = http.client.HTTPConnection(self.host, timeout=30)
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                content = json.loads(answer.read())
                if answer.status < 300:
                    return dict(content)
                if answer.status < 500 and answer.status != BUSY:
                    raise RuntimeError(f"{method} {path}: {content}")
            except (OSError, http.client.HTTPException, ValueError):
                pass
            if time.monotonic() > self.until:
                raise TimeoutError(f"{method} {path}")
            time.sleep(AGAIN_SECONDS)

    def submitted(self, number: int, document: bytes) -> str:
        key = f"{self.name}-{number}"
        headers = {"Content-Type": "application/pdf", "Idempotency-Key": key}
        return str(self.asked("POST", TASKS, document, **headers)["id"])

    def ended(self, task: str) -> dict[str, Any] | None:
        """Return a task once it has ended; None when time is over before."""
        while time.monotonic() < self.until:
            found = self.asked("GET", f"{TASKS}/{task}?wait=20", None)
            if found["status"] not in {"queued", "running"}:
                return found
        return None

    def model(self, task: str) -> str:
        return str(self.asked("GET", f"{TASKS}/{task}/result", None)["model"])


def seconds(task: dict[str, Any]) -> float:
    """Return how long a task waited."""
    began, created = (datetime.fromisoformat(task[name]) for name in ("started_at", "created_at"))
    return (began - created).total_seconds()


def main(url: str, documents: str, pages: str, most_seconds: str) -> None:
    began = time.monotonic()
    service = Service(url, began + float(most_seconds))
    document = pdf(int(pages))
    with ThreadPoolExecutor(CLIENTS) as clients:
        ids = list(clients.map(lambda n: service.submitted(n, document), range(int(documents))))
        told = list(clients.map(service.ended, ids))
        ended = [task for task in told if task is not None]
        took = time.monotonic() - began
        done = [task["id"] for task in ended if task["status"] == "done"]
        models = collections.Counter(clients.map(service.model, done))
    found = {
        "documents": len(set(ids)),
        "states": collections.Counter(task["status"] for task in ended),
        "models": models,
        "waits": sorted(seconds(task) for task in ended if task["started_at"]),
        "seconds": took,
        "late": [one for one, task in zip(ids, told, strict=True) if task is None],
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
