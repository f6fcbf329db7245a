"""Requests to an API server on kept connections, without a process for each."""

import http.client
import json
import ssl
import threading
from typing import Any
from urllib.parse import urlsplit

from localcluster.controlplane import ControlPlane
from localcluster.pki import ADMIN, Pki
from support.kubectl import Manifest

TIMEOUT_SECONDS = 60
MERGE = "application/merge-patch+json"
METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class DirectApi:
    """The administrator's access, from any number of threads.

    Args:
        plane: a control plane that runs.
    """

    def __init__(self, plane: ControlPlane) -> None:
        pki = Pki(plane.directory / "pki")
        self._address = urlsplit(plane.url).netloc
        self._context = ssl.create_default_context(cafile=str(pki.authority))
        self._context.load_cert_chain(pki.certificate(ADMIN), pki.key(ADMIN))
        self._local = threading.local()
        self._connections: list[http.client.HTTPSConnection] = []

    def close(self) -> None:
        """Close the connections of all threads, once none of them asks any more."""
        for connection in self._connections:
            connection.close()

    def call(self, verb: str, path: str, body: Any = None, **headers: str) -> Manifest:
        """Return the answer to one request.

        Raises:
            RuntimeError: the answer is no success.
        """
        sent = {"Content-Type": "application/json", "Accept": "application/json"} | headers
        text = json.dumps(body) if body is not None else None
        try:
            status, data = self._answer(verb, path, text, sent)
        except http.client.RemoteDisconnected:
            # The server ends connections that nobody has used for a while.
            status, data = self._answer(verb, path, text, sent)
        if status >= http.HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{verb} {path}: {status} {data[:300]!r}")
        found: Manifest = json.loads(data)
        return found

    def patch(self, path: str, body: Manifest) -> Manifest:
        """Merge `body` into an object."""
        return self.call("PATCH", path, body, **{"Content-Type": MERGE})

    def metadata(self, path: str) -> list[Manifest]:
        """Return the metadata of all objects of a collection."""
        listed = self.call("GET", path, Accept=METADATA_ONLY)
        return [item["metadata"] for item in listed["items"] or ()]

    def count(self, path: str) -> int:
        """Return how many objects a collection has, without reading them."""
        listed = self.call("GET", f"{path}?limit=1", Accept=METADATA_ONLY)
        return len(listed["items"] or ()) + int(listed["metadata"].get("remainingItemCount", 0))

    def _answer(
        self, verb: str, path: str, text: str | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        connection = self._connection()
        try:
            connection.request(verb, path, text, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()  # the next request opens it anew
            raise

    def _connection(self) -> http.client.HTTPSConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPSConnection(
                self._address, timeout=TIMEOUT_SECONDS, context=self._context
            )
            self._connections.append(self._local.connection)
        connection: http.client.HTTPSConnection = self._local.connection
        return connection
