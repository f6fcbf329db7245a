"""kopf: watches the cluster and turns every event into a key to look at. Nothing else."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import kopf
from docparser_api import names

from docparser_operator.kinds import WATCHED_CHILDREN, Kind, Manifest

OnEvent = Callable[[Kind, str | None, Manifest], None]
"""Called with kind, event type (None for the first listing) and object."""

CHILD_SELECTOR = f"{names.LABEL_MANAGED_BY}={names.MANAGER}"
WATCH_SECONDS = 300  # the API server takes whole seconds only


class NothingStored(kopf.DiffBaseStorage):
    """kopf's memory of what was handled last, which only its handlers of changes ask for.

    Its own would copy every object at every event, for nothing.
    """

    def build(self, **_: Any) -> kopf.BodyEssence:
        """Return nothing to compare with."""
        return kopf.BodyEssence({})

    def fetch(self, **_: Any) -> kopf.BodyEssence | None:
        """Return that nothing was handled before."""
        return None

    def store(self, **_: Any) -> None:
        """Store nothing."""


def watch(
    on_event: OnEvent, kinds: Sequence[Kind], namespaces: Sequence[str], stop: threading.Event
) -> None:
    """Run kopf until `stop` is set, on `kinds`: it looks for each of them once.

    It wants a thread of its own, since in the end it cancels every task of its event loop.
    `on_event` is called in that thread. However it ends, `stop` is set then.

    Raises:
        Exception: whatever ended kopf, such as a kind that the cluster has ceased to know.
    """
    asyncio.run(_watched(on_event, kinds, namespaces, stop))


async def _watched(
    on_event: OnEvent, kinds: Sequence[Kind], namespaces: Sequence[str], stop: threading.Event
) -> None:
    try:
        await kopf.operator(
            registry=registry(on_event, kinds),
            settings=settings(),
            standalone=True,
            # Never used without peering, but kopf would ask for the user's name, and a pod's user
            # has none.
            identity=names.MANAGER,  # type: ignore[arg-type]
            clusterwide=not namespaces,
            namespaces=namespaces,
            stop_flag=stop,
        )
    finally:
        stop.set()  # a thread of kopf's waits for it, however kopf came to its end


def registry(on_event: OnEvent, kinds: Sequence[Kind]) -> kopf.OperatorRegistry:
    """Return handlers that pass every event of `kinds` to `on_event`."""
    result = kopf.OperatorRegistry()
    kopf.on.login(registry=result)(_login)
    for kind in kinds:
        _register(result, kind, on_event)
    return result


def settings() -> kopf.OperatorSettings:
    """Return kopf's settings: watch only what is ours, write nothing."""
    result = kopf.OperatorSettings()
    result.posting.enabled = False
    result.scanning.disabled = True
    result.persistence.diffbase_storage = NothingStored()
    result.watching.server_timeout = WATCH_SECONDS
    result.watching.connect_timeout = 10.0
    for kind in WATCHED_CHILDREN:
        selector = (kind.group, kind.version, kind.plural)
        result.watching.label_selectors[selector] = CHILD_SELECTOR
    return result


def _register(registry: kopf.OperatorRegistry, kind: Kind, on_event: OnEvent) -> None:
    @kopf.on.event(kind.group, kind.version, kind.plural, registry=registry)
    async def _(event: kopf.RawEvent, **_: Any) -> None:
        manifest = {"apiVersion": kind.api_version, "kind": kind.kind, **event["object"]}
        on_event(kind, event["type"], manifest)


def _login(**kwargs: Any) -> kopf.ConnectionInfo | None:
    """Return the connection: the service account in a pod, else KUBECONFIG."""
    return kopf.login_with_service_account(**kwargs) or kopf.login_with_kubeconfig(**kwargs)
