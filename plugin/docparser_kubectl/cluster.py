"""All traffic with the API server, on the official client. No decision is taken here."""

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol

import urllib3
from docparser_operator.kinds import DOC_PARSER, Kind, Manifest
from kubernetes import config
from kubernetes.client import ApiClient

from docparser_kubectl.errors import Failure, Refused, Unreachable
from docparser_kubectl.printable import printable

REQUEST_TIMEOUT_SECONDS: Final = 30.0
PAGE_SIZE: Final = 500
MANAGER: Final = "kubectl-docparser"
"""Field manager of the annotations that this program writes."""

_JSON: Final = "application/json"
_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_WHO: Final = Kind("authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews")
_STRICT: Final = {"fieldValidation": "Strict", "dryRun": "All"}


class Cluster(Protocol):
    """What looking needs of an API server. Every method raises `Failure`."""

    @property
    def namespace(self) -> str:
        """Namespace of every call that names none."""
        ...

    def get(self, kind: Kind, name: str) -> Manifest:
        """Return the object."""
        ...

    def list(self, kind: Kind, selector: str = "", *, everywhere: bool = False) -> list[Manifest]:
        """Return the objects of a kind in the namespace or, for pods and nodes, everywhere."""
        ...


@dataclass(frozen=True)
class KubernetesCluster:
    """A real API server."""

    client: ApiClient
    namespace: str

    def get(self, kind: Kind, name: str) -> Manifest:
        """Return the object."""
        return _parsed(self._call("GET", kind.path(self.namespace, name)))

    def list(self, kind: Kind, selector: str = "", *, everywhere: bool = False) -> list[Manifest]:
        """Return the objects, page by page."""
        what = {"apiVersion": kind.api_version, "kind": kind.kind}
        items: list[Manifest] = []
        token = ""
        while True:
            query = {"limit": str(PAGE_SIZE), "labelSelector": selector, "continue": token}
            path = kind.path(None if everywhere else self.namespace)
            page = _parsed(self._call("GET", path, query))
            # The items of a list do not say what they are.
            items.extend({**what, **item} for item in page["items"])
            token = page["metadata"].get("continue", "")
            if not token:
                return items

    def annotate(self, name: str, resource_version: str, values: dict[str, str | None]) -> None:
        """Merge `values` into the annotations."""
        body = {"metadata": {"resourceVersion": resource_version, "annotations": values}}
        path = DOC_PARSER.path(self.namespace, name)
        self._call("PATCH", path, {"fieldManager": MANAGER}, body, _MERGE)

    def user(self) -> str | None:
        """Return the user's name as the API server knows it; None where it does not tell."""
        body = {"apiVersion": _WHO.api_version, "kind": _WHO.kind}
        try:
            answer = _parsed(self._call("POST", _WHO.path(None), {}, body))
        except Failure:  # a name for the record must not keep anyone from an abort
            return None
        name: str | None = answer.get("status", {}).get("userInfo", {}).get("username")
        return name or None

    def try_create(self, manifest: Manifest) -> Manifest:
        """Return what the object would be; nothing is written."""
        path = DOC_PARSER.path(self.namespace)
        return _parsed(self._call("POST", path, _STRICT, manifest))

    def try_merge(self, name: str, patch: Manifest) -> Manifest:
        """Return what the object would be after a merge patch; nothing is written."""
        path = DOC_PARSER.path(self.namespace, name)
        return _parsed(self._call("PATCH", path, _STRICT, patch, _MERGE))

    def try_apply(self, manifest: Manifest, manager: str) -> Manifest:
        """Return what the object would be after a server-side apply; nothing is written."""
        path = DOC_PARSER.path(self.namespace, manifest["metadata"]["name"])
        query = {**_STRICT, "fieldManager": manager, "force": "true"}
        return _parsed(self._call("PATCH", path, query, manifest, _APPLY))

    def wait_for_change(self, name: str, resource_version: str, seconds: int) -> None:
        """Return once the object has changed, at the latest after `seconds`."""
        query = {
            "watch": "true",
            "fieldSelector": f"metadata.name={name}",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(seconds),
        }
        path = DOC_PARSER.path(self.namespace)
        response = self._call("GET", path, query, read_seconds=seconds + REQUEST_TIMEOUT_SECONDS)
        try:
            # Whatever the event is, an expired version included: the caller looks again.
            next(response.stream(1), b"")
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"the watch broke off: {error}; try again") from error
        finally:
            response.close()

    def _call(
        self,
        verb: str,
        path: str,
        query: dict[str, str] | None = None,
        body: Manifest | None = None,
        media: str = _JSON,
        *,
        read_seconds: float = REQUEST_TIMEOUT_SECONDS,
    ) -> urllib3.BaseHTTPResponse:
        """Return the answer to one request; its body has not been read."""
        request = self.client.param_serialize(
            verb,
            path,
            query_params=[(key, value) for key, value in (query or {}).items() if value],
            header_params={"Accept": _JSON, "Content-Type": media},
            body=body,
            auth_settings=["BearerToken"],
        )
        try:
            limits = (REQUEST_TIMEOUT_SECONDS, read_seconds)
            answer = self.client.call_api(*request, _request_timeout=limits).response
        except (urllib3.exceptions.HTTPError, OSError) as error:
            host = self.client.configuration.host
            cause = getattr(error, "reason", None) or error
            words = f"no answer from {host}: {cause}; is it the right --context?"
            raise Unreachable(words) from error
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise _failure(answer.status, _words(answer.data, path))
        response: urllib3.BaseHTTPResponse = answer
        return response


def connect(context: str | None, namespace: str | None) -> KubernetesCluster:
    """Return a connection by the user's kubeconfig, as kubectl makes it.

    Raises:
        Failure: the file or the context cannot be used.
    """
    try:
        contexts, current = config.list_kube_config_contexts()
        client = config.new_client_from_config(context=context)
    except (config.ConfigException, OSError, TypeError) as error:
        words = " ".join(str(error).split())
        raise Failure(f"no access to a cluster: {words}; set KUBECONFIG or --context") from error
    client.user_agent = MANAGER
    chosen = next((c for c in contexts if c["name"] == context), current)
    return KubernetesCluster(client, namespace or chosen["context"].get("namespace") or "default")


def _parsed(response: urllib3.BaseHTTPResponse) -> Manifest:
    try:
        answer: Manifest = printable(json.loads(response.data))
    except ValueError as error:
        raise Failure("the answer is not JSON; is this a Kubernetes API server?") from error
    return answer


def _failure(status: int, words: str) -> Failure:
    """Return the exception for an answer that is not a success."""
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unreachable(f"the API server is not able to answer: {words}; try again")
    return Refused(status, words)


def _words(data: bytes, path: str) -> str:
    """Return the message of a `Status` answer, or the beginning of whatever came."""
    try:
        return str(printable(json.loads(data)["message"]))
    except (ValueError, KeyError, TypeError):
        return f"{path}: {printable(data[:200].decode(errors='replace'))}"
