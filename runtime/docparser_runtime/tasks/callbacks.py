"""Callbacks as the service is configured: who may be called, and who calls."""

import ssl
from typing import Protocol

from docparser_api.names import ENV_CALLBACK_SECRET
from docparser_api.runtime import OutboundConfig

from docparser_runtime.callbacks.base import Outbox
from docparser_runtime.callbacks.dispatching import Books, Dispatcher
from docparser_runtime.callbacks.sending import CallbackSender
from docparser_runtime.config import ConfigError
from docparser_runtime.logs import Log
from docparser_runtime.outbound.policy import policy_of
from docparser_runtime.outbound.requests import Outbound
from docparser_runtime.outbound.targets import SystemResolver
from docparser_runtime.task_metrics import TaskMetrics


class Callbacks(Protocol):
    """What the door needs of callbacks."""

    async def check(self, url: str) -> None:
        """Return when callbacks may go to `url`.

        Raises:
            UrlNotAllowed: they may not.
        """
        ...

    async def add(self, job_id: str, url: str) -> None:
        """Note, safely, that `url` is to be told of the end of the job."""
        ...


class OutboxCallbacks:
    """Callbacks by way of the outbox beside the queue."""

    def __init__(self, outbox: Outbox, outbound: Outbound, secrets: tuple[bytes, ...]) -> None:
        self._outbox = outbox
        self._outbound = outbound
        self._secrets = secrets

    async def check(self, url: str) -> None:
        """Return when callbacks may go to `url`."""
        await self._outbound.check(url)

    async def add(self, job_id: str, url: str) -> None:
        """Note that `url` is to be told."""
        await self._outbox.add(job_id, url)

    async def run(self, log: Log, metrics: TaskMetrics) -> None:
        """Deliver what is due until cancelled."""
        if self._secrets:
            sender = CallbackSender(self._outbound, self._secrets)
            await Dispatcher(self._outbox, sender, Books(log, metrics.callbacks)).run()


def outbound_of(config: OutboundConfig) -> Outbound:
    """Return requests to where `config` allows them.

    Raises:
        ConfigError: one of its words means nothing.
    """
    policy = policy_of(config.allowed_hosts, config.allowed_networks, config.allowed_ports)
    # To load the certificates of all authorities takes a while: not where nothing may be asked for.
    tls = (
        ssl.create_default_context()
        if config.allows_any
        else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )
    return Outbound(policy, SystemResolver(), tls)


def check_secrets(config: OutboundConfig, secrets: tuple[bytes, ...]) -> None:
    """Return when callbacks that are allowed can be signed.

    Raises:
        ConfigError: they cannot.
    """
    if config.allows_any and not secrets:
        raise ConfigError(f"tasks.callbacks needs {ENV_CALLBACK_SECRET}, to sign callbacks with")
