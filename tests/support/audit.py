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
        user: whom the API server took it for.
        received: when it came in.
        completed: when its answer was complete.
    """

    agent: str
    user: str
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
    what, status, user = entry["objectRef"], entry.get("responseStatus", {}), entry["user"]
    assert isinstance(what, dict)
    assert isinstance(user, dict)
    assert isinstance(status, dict)
    parts = (what.get("resource", ""), what.get("subresource", ""))
    return Request(
        agent=str(entry.get("userAgent", "")),
        user=user["username"],
        verb=str(entry["verb"]),
        namespace=what.get("namespace", ""),
        resource="/".join(filter(None, parts)),
        name=what.get("name", ""),
        code=int(status.get("code", 0)),
        received=datetime.fromisoformat(str(entry["requestReceivedTimestamp"])),
        completed=datetime.fromisoformat(str(entry["stageTimestamp"])),
    )


class Trail:
    """The requests for one namespace so far, each line of the log read once.

    Attributes:
        seen: what was read, in the order of the log.
    """

    def __init__(self, audit_log: Path, namespace: str) -> None:
        self._log = audit_log
        self._mark = f'"namespace":"{namespace}"'
        self._offset = 0
        self.seen: list[Request] = []

    def since(self, moment: datetime) -> list[Request]:
        """Read on; return the requests that were received from `moment` on."""
        with self._log.open("rb") as lines:
            lines.seek(self._offset)
            for raw in lines:
                if not raw.endswith(b"\n"):
                    break  # the rest of it is being written
                self._offset += len(raw)
                self._take(raw.decode())
        return [request for request in self.seen if request.received >= moment]

    def _take(self, line: str) -> None:
        if self._mark in line and (entry := json.loads(line))["stage"] == "ResponseComplete":
            self.seen.append(_request(entry))
