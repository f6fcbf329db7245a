"""Reading from an API server with the administrator's certificate, for readiness checks."""

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import Any

from localcluster.pki import ADMIN, Pki


@dataclass(frozen=True)
class Api:
    """An API server on this host's loopback."""

    port: int
    pki: Pki

    def get(self, path: str, timeout_seconds: float = 5) -> tuple[int, str]:
        """Status and body; status 0 when nobody answers yet."""
        context = ssl.create_default_context(cafile=str(self.pki.authority))
        context.load_cert_chain(self.pki.certificate(ADMIN), self.pki.key(ADMIN))
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=timeout_seconds, context=context
        )
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def json(self, path: str) -> Any:
        """The object at the path, or None."""
        status, body = self.get(path)
        return json.loads(body) if status == http.HTTPStatus.OK else None

    def ready(self) -> bool:
        """Whether it serves, and the namespaces that everything needs exist."""
        # The server itself makes "default" shortly after it calls itself ready.
        paths = ("/readyz", "/api/v1/namespaces/kube-system", "/api/v1/namespaces/default")
        return all(self.get(path)[0] == http.HTTPStatus.OK for path in paths)
