"""All traffic with the API server, on the official client. No decision is taken here."""

import json
import os
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from docparser_api import names
from kubernetes.aio import config
from kubernetes.aio.client import ApiClient, Configuration

from docparser_operator.errors import ApiError, ConflictError, NotFoundError, UnavailableError
from docparser_operator.kinds import Kind, Listing, Manifest, Ref, ref_of

REQUEST_TIMEOUT_SECONDS = 30.0
PAGE_SIZE = 500
POOL_SIZE = 128

_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_JSON = "application/json"


class Cluster(Protocol):
    """What the operator needs of an API server.

    Every method raises `ApiError`, `NotFoundError`, `Conflict` or `UnavailableError`.
    """

    async def get(self, ref: Ref) -> Manifest:
        """Return the object as it is now."""
        ...

    async def list(self, kind: Kind, namespace: str | None, selector: str = "") -> Listing:
        """Return all objects of `kind`, in one namespace or in all."""
        ...

    async def apply(self, manifest: Manifest, *, force: bool) -> Manifest:
        """Make the object have the fields of `manifest`; return it as it is then.

        A uid or resourceVersion in `manifest` is a precondition. Without `force`, fields of other
        managers are a Conflict.
        """
        ...

    async def delete(self, ref: Ref, uid: str, resource_version: str) -> None:
        """Delete the object if it is still the given version."""
        ...

    async def patch_status(self, ref: Ref, resource_version: str, status: Manifest) -> Manifest:
        """Replace fields of the status if the object is still the given version."""
        ...

    async def create(self, kind: Kind, namespace: str, manifest: Manifest) -> Manifest:
        """Create an object that nobody updates, such as an Event."""
        ...

    async def replace(self, kind: Kind, namespace: str, manifest: Manifest) -> Manifest:
        """Replace an object as a whole, such as a Lease."""
        ...


class KubernetesCluster:
    """A real API server.

    Args:
        client: the connection.
        count_write: called with verb and kind for every write, for the metrics.
    """

    def __init__(self, client: ApiClient, count_write: Callable[[str, str], None]) -> None:
        self._client = client
        self._count_write = count_write

    async def get(self, ref: Ref) -> Manifest:
        """Return the object as it is now."""
        return await self._call("GET", ref.kind.path(ref.namespace, ref.name))

    async def list(self, kind: Kind, namespace: str | None, selector: str = "") -> Listing:
        """Return all objects of `kind`, page by page."""
        items: list[Manifest] = []
        token = ""
        while True:
            query = {"limit": str(PAGE_SIZE), "labelSelector": selector, "continue": token}
            page = await self._call("GET", kind.path(namespace), query)
            # The items of a list do not say what they are.
            what = {"apiVersion": kind.api_version, "kind": kind.kind}
            items.extend({**what, **item} for item in page["items"])
            token = page["metadata"].get("continue", "")
            if not token:
                # All pages show the moment of the first one.
                return Listing(items, int(page["metadata"]["resourceVersion"]))

    async def apply(self, manifest: Manifest, *, force: bool) -> Manifest:
        """Apply `manifest` on the server's side."""
        ref = ref_of(manifest)
        query = {"fieldManager": names.MANAGER, "force": str(force).lower()}
        path = ref.kind.path(ref.namespace, ref.name)
        return await self._write("PATCH", ref.kind, path, query, manifest, _APPLY)

    async def delete(self, ref: Ref, uid: str, resource_version: str) -> None:
        """Delete the object and, in the background, what it owns."""
        options = {
            "propagationPolicy": "Background",
            "preconditions": {"uid": uid, "resourceVersion": resource_version},
        }
        path = ref.kind.path(ref.namespace, ref.name)
        await self._write("DELETE", ref.kind, path, {}, options, _JSON)

    async def patch_status(self, ref: Ref, resource_version: str, status: Manifest) -> Manifest:
        """Merge `status` into the status subresource."""
        body = {"metadata": {"resourceVersion": resource_version}, "status": status}
        path = ref.kind.path(ref.namespace, ref.name) + "/status"
        query = {"fieldManager": names.MANAGER}
        return await self._write("PATCH", ref.kind, path, query, body, _MERGE)

    async def create(self, kind: Kind, namespace: str, manifest: Manifest) -> Manifest:
        """Create an object."""
        return await self._write("POST", kind, kind.path(namespace), {}, manifest, _JSON)

    async def replace(self, kind: Kind, namespace: str, manifest: Manifest) -> Manifest:
        """Replace an object."""
        path = kind.path(namespace, manifest["metadata"]["name"])
        return await self._write("PUT", kind, path, {}, manifest, _JSON)

    async def openapi(self, kind: Kind) -> Manifest:
        """Return the OpenAPI 3 document that describes `kind`; every account may read it."""
        return await self._call("GET", f"/openapi/v3/apis/{kind.api_version}")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _write(
        self, verb: str, kind: Kind, path: str, query: dict[str, str], body: Manifest, media: str
    ) -> Manifest:
        self._count_write(verb, kind.kind)
        return await self._call(verb, path, query, body, media)

    async def _call(
        self,
        verb: str,
        path: str,
        query: dict[str, str] | None = None,
        body: Manifest | None = None,
        media: str = _JSON,
    ) -> Manifest:
        """Return the parsed answer to one request."""
        pairs = [(key, value) for key, value in (query or {}).items() if value]
        try:
            request = await self._client.param_serialize(
                verb,
                path,
                query_params=pairs,
                header_params={"Accept": _JSON, "Content-Type": media},
                body=body,
                auth_settings=["BearerToken"],
            )
            response = await self._client.call_api(
                *request, _request_timeout=REQUEST_TIMEOUT_SECONDS
            )
            data = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise UnavailableError(f"{verb} {path}: {error or type(error).__name__}") from error
        if response.status >= 400:  # noqa: PLR2004 (HTTP)
            raise _error(response.status, response.headers.get("Retry-After"), data)
        try:
            answer: Manifest = json.loads(data)
        except ValueError as error:
            raise UnavailableError(f"{verb} {path}: the answer is not JSON") from error
        return answer


def _error(status: int, retry_after: str | None, data: bytes) -> Exception:
    """Return the exception for an answer of the API server that is not a success."""
    message = _message(data)
    if status == 404:  # noqa: PLR2004 (HTTP)
        return NotFoundError(status, message)
    if status == 409:  # noqa: PLR2004 (HTTP)
        return ConflictError(status, message)
    # 401 is a token that has just expired; the client reads the new one.
    if status in {401, 408, 429} or status >= 500:  # noqa: PLR2004 (HTTP)
        seconds = float(retry_after) if retry_after and retry_after.isdigit() else None
        return UnavailableError(f"{status}: {message}", seconds)
    return ApiError(status, message)


def _message(data: bytes) -> str:
    """Return the message of a `Status` answer, or the beginning of whatever came."""
    try:
        body: Any = json.loads(data)
        return str(body["message"])
    except (ValueError, KeyError, TypeError):
        return data[:200].decode(errors="replace")


async def connect(
    count_write: Callable[[str, str], None], kubeconfig: str | None
) -> KubernetesCluster:
    """Return a connection made from the file `kubeconfig`.

    Without one, from the service account inside a pod, and from the user's own file elsewhere.
    """
    configuration = Configuration()
    if "KUBERNETES_SERVICE_HOST" in os.environ and kubeconfig is None:
        config.load_incluster_config(client_configuration=configuration)
    else:
        await config.load_kube_config(kubeconfig, client_configuration=configuration)
    configuration.connection_pool_maxsize = POOL_SIZE
    client = ApiClient(unsurprised(configuration))
    client.user_agent = names.MANAGER
    return KubernetesCluster(client, count_write)


def unsurprised(configuration: Configuration) -> Configuration:
    """Return `configuration` with the proxy of the environment, which is asked once.

    The client would ask at each request, and each time look for a password in a `.netrc`: two
    hand-overs to another thread and back, a third of the time of a request. An API server takes
    no such password.
    """
    address = urlsplit(configuration.host)
    if configuration.proxy is None and not proxy_bypass(address.hostname or ""):
        configuration.proxy = getproxies().get(address.scheme)
    configuration.client_session_kwargs = {"trust_env": False}
    return configuration
