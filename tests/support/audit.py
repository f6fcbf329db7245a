"""What the API server's audit log says of who wrote what, and when."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

WRITES = {"create", "update", "patch", "delete", "deletecollection"}


@dataclass(frozen=True)
class Request:
    """One completed request.

    Attributes:
        agent: the client's User-Agent.
        received: when it came in.
        completed: when its answer was complete.
    """

    agent: str
    verb: str
    namespace: str
    resource: str
    name: str
    code: int
    received: datetime
    completed: datetime

    @property
    def writes(self) -> bool:
        """Whether it could have changed something."""
        return self.verb in WRITES

    def __str__(self) -> str:
        return f"{self.received:%H:%M:%S.%f} {self.verb} {self.resource} {self.name} {self.code}"


def requests(audit_log: Path, namespace: str, since: datetime | None = None) -> Iterator[Request]:
    """Yield the completed requests for `namespace`, from `since` on."""
    with audit_log.open() as lines:
        for line in lines:
            if f'"namespace":"{namespace}"' not in line or not line.endswith("\n"):
                continue
            entry = json.loads(line)
            request = _request(entry)
            if entry["stage"] == "ResponseComplete" and (not since or request.received >= since):
                yield request


def _request(entry: dict[str, dict[str, str] | str]) -> Request:
    what, status = entry["objectRef"], entry.get("responseStatus", {})
    assert isinstance(what, dict)
    assert isinstance(status, dict)
    parts = (what.get("resource", ""), what.get("subresource", ""))
    return Request(
        agent=str(entry.get("userAgent", "")),
        verb=str(entry["verb"]),
        namespace=what.get("namespace", ""),
        resource="/".join(filter(None, parts)),
        name=what.get("name", ""),
        code=int(status.get("code", 0)),
        received=datetime.fromisoformat(str(entry["requestReceivedTimestamp"])),
        completed=datetime.fromisoformat(str(entry["stageTimestamp"])),
    )
