"""Three probes, three different questions. None of them reads a document."""

from typing import Any

from docparser_api.names import PATH_LIVE, PATH_READY, PATH_STARTUP
from fastapi import APIRouter
from fastapi.responses import JSONResponse

from docparser_runtime.context import InContext
from docparser_runtime.lifecycle import Phase
from docparser_runtime.schemas import Status

router = APIRouter(tags=["health"])
_UNAVAILABLE: dict[int | str, dict[str, Any]] = {
    503: {"model": Status, "description": "Not now; `reason` tells why."}
}


@router.get(PATH_LIVE, response_model=Status)
async def livez() -> JSONResponse:
    """Tell whether the event loop turns. Load has no influence on the answer."""
    return _answer(yes=True, reason="alive")


@router.get(PATH_STARTUP, response_model=Status, responses=_UNAVAILABLE)
async def startupz(context: InContext) -> JSONResponse:
    """Tell whether the engine has been loaded and has read its test page."""
    phase = context.lifecycle.phase
    return _answer(yes=phase is Phase.READY, reason=phase.value)


@router.get(PATH_READY, response_model=Status, responses=_UNAVAILABLE)
async def readyz(context: InContext) -> JSONResponse:
    """Tell whether new requests should be sent here."""
    return _answer(yes=context.lifecycle.accepts, reason=context.lifecycle.reason())


def _answer(*, yes: bool, reason: str) -> JSONResponse:
    status = "ok" if yes else "unavailable"
    return JSONResponse({"status": status, "reason": reason}, status_code=200 if yes else 503)
