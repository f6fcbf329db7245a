"""What the service tells about itself."""

from typing import Annotated, Final

from docparser_api.names import PATH_CONFIG, PATH_METRICS, PATH_QUEUE
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from prometheus_client.exposition import choose_encoder

from docparser_runtime import docs_page, uploads
from docparser_runtime.context import InContext
from docparser_runtime.engine import tiers

router = APIRouter(tags=["about"])
PATH_DOCS = "/docs"
LONGEST_WAIT_SECONDS: Final = 30
_MOST_PAGES: Final = 1_000_000_000

Above = Annotated[int, Query(ge=0, le=_MOST_PAGES)]
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT_SECONDS, allow_inf_nan=False)]


@router.get(PATH_DOCS, include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """Show the interface. The page needs nothing from elsewhere."""
    return HTMLResponse(docs_page.render(request.app.openapi()), headers=docs_page.HEADERS)


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> JSONResponse:
    """Return the interface for programs."""
    return JSONResponse(request.app.openapi())


@router.get(PATH_METRICS, response_class=Response)
async def metrics(request: Request, context: InContext) -> Response:
    """Return the metrics in the Prometheus or OpenMetrics text format."""
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(context.metrics.registry), headers={"Content-Type": content_type})


@router.get(PATH_QUEUE, include_in_schema=False)
async def queue(
    request: Request, context: InContext, above: Above = 0, wait: Wait = 0
) -> dict[str, int]:
    """Return how many pages wait in the whole queue: once they are more, or after the wait."""
    uploads.refuse_query(request.query_params, {"above", "wait"})
    counted = context.tasks.opened().waiting_pages
    return {"queued_pages": await counted.above(above, wait)}


@router.get(PATH_CONFIG)
async def config(context: InContext) -> JSONResponse:
    """Return the effective configuration, defaults included, secrets excluded."""
    traits = context.engine.traits
    return JSONResponse(
        {
            "engine": {
                "generates": traits.generates,
                "tiers": [tier for tier in tiers.ORDER if tier in traits.tiers],
            },
            "model": context.model.model_dump(mode="json", by_alias=True),
            "runtime": context.config.model_dump(mode="json", by_alias=True),
            "version": context.version,
        }
    )
