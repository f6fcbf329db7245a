"""Lets the operator begin only where the cluster's schema has every field that it knows."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

import structlog
from docparser_api.resource import custom_resource_definition

from docparser_operator.errors import ApiError, UnavailableError
from docparser_operator.kinds import DOC_PARSER, Kind, Manifest
from docparser_operator.schema_check import complaint, lost_fields, served_schema

log = structlog.get_logger(__name__)

RETRY_SECONDS: Final = 2.0


class SchemaError(Exception):
    """The cluster's schema was replaced by one that loses fields while the operator ran."""


class Schemas(Protocol):
    """Where the cluster's schema is read."""

    async def openapi(self, kind: Kind) -> Manifest:
        """Return the OpenAPI 3 document that describes `kind`."""
        ...


class SchemaGate:
    """Looks at the schema until it fits, then now and then.

    Args:
        schemas: where the schema is read.
        tell: called with each new fault that keeps the operator from its work.
        recheck_seconds: pause after a schema that fits.
        retry_seconds: pause after one that does not.

    Attributes:
        fits: set once the schema has every field.
    """

    def __init__(
        self,
        schemas: Schemas,
        tell: Callable[[str], None],
        recheck_seconds: float,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self._schemas = schemas
        self._tell = tell
        self._recheck_seconds = recheck_seconds
        self._retry_seconds = retry_seconds
        self._known = _known_schema()
        self._told = ""
        self.fits = asyncio.Event()

    async def run(self) -> None:
        """Look for ever.

        Raises:
            SchemaError: a schema that had fitted does not any more.
        """
        while True:
            try:
                lost = await self._lost()
            except (ApiError, UnavailableError) as error:
                # Whoever is at work goes on while nobody can read it.
                if not self.fits.is_set():
                    self._say(f"the schema of {DOC_PARSER.kind} cannot be read: {error}")
                await asyncio.sleep(self._retry_seconds)
                continue
            if lost and self.fits.is_set():
                raise SchemaError(complaint(lost))
            if lost:
                self._say(complaint(lost))
            else:
                self.fits.set()
                self._told = ""
            await asyncio.sleep(self._retry_seconds if lost else self._recheck_seconds)

    async def _lost(self) -> list[str]:
        served = served_schema(await self._schemas.openapi(DOC_PARSER), DOC_PARSER)
        if served is None:
            raise UnavailableError("it is not published yet")
        return lost_fields(self._known, served)

    def _say(self, fault: str) -> None:
        """Tell of a fault once, not at each look."""
        if fault != self._told:
            self._tell(fault)
            self._told = fault


def tell(fault: str) -> None:
    """Write a fault to the log."""
    log.error("the operator does not start", error=fault)


def _known_schema() -> Manifest:
    (version,) = custom_resource_definition()["spec"]["versions"]
    found: Manifest = version["schema"]["openAPIV3Schema"]
    return found
