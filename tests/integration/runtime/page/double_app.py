"""The double's HTTP side."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import uvicorn
from docparser_runtime.page.files import PAGE_PATHS
from docparser_runtime.routes import page as page_routes
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from integration.runtime.page.double import SUMMARY, Double
from PIL import Image, ImageDraw
from starlette.middleware.base import RequestResponseEndpoint
from unit.runtime.doubles import eventually

TASKS = "/v1/document/tasks"
PARSE = "/v1/document/parse"
_OPEN = {*PAGE_PATHS, "/readyz", "/metrics"}


@asynccontextmanager
async def serving(double: Double) -> AsyncIterator[Double]:
    """Serve `double` on a free port of this machine; `double.url` names it."""
    config = uvicorn.Config(
        _app(double),
        host="127.0.0.1",
        port=0,
        lifespan="off",
        log_level="critical",
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve())
    await eventually(lambda: server.started)
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    double.url = f"http://{host}:{port}/"
    try:
        yield double
    finally:
        server.should_exit = server.force_exit = True
        with suppress(asyncio.CancelledError):
            await running


class _Server(uvicorn.Server):
    """A server that leaves signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _app(double: Double) -> FastAPI:
    app = FastAPI(openapi_url=None)
    app.include_router(_about(double))
    app.include_router(_tasks(double))
    app.include_router(_results(double))
    app.include_router(_parse(double))
    app.include_router(page_routes.router)  # last: pictures are the double's own

    @app.middleware("http")
    async def admit(request: Request, answer: RequestResponseEndpoint) -> Response:
        double.requests.append(f"{request.method} {request.url.path}")
        sent = request.headers.get("authorization")
        closed = double.token is not None and request.url.path not in _OPEN
        if closed and sent != f"Bearer {double.token}":
            return _problem(401, "unauthorized", "Send a token.")
        return await answer(request)

    return app


def _about(double: Double) -> APIRouter:
    router = APIRouter()

    @router.get("/readyz")
    async def ready() -> dict[str, str]:
        return {"status": "ok", "reason": "ready"}

    @router.get("/metrics")
    async def metrics() -> PlainTextResponse:
        return PlainTextResponse("docparser_requests_running 1.0\ndocparser_requests_waiting 4.0\n")

    @router.get("/config")
    async def config() -> dict[str, Any]:
        limits = {"maxBodyBytes": 1024 * 1024}
        engine = {"generates": False, "tiers": double.tiers}
        model = {"engine": "double", "name": None}
        return {"engine": engine, "model": model, "runtime": limits, "version": "1"}

    return router


def _tasks(double: Double) -> APIRouter:
    router = APIRouter()

    @router.post(TASKS)
    async def submit(request: Request) -> Response:
        if not double.keeps_tasks:
            return _problem(404, "tasks_disabled", "No tasks here.")
        assert request.headers["idempotency-key"]
        if refused := await _refused(request, double):
            return refused
        return JSONResponse(double.accept().body(), 202)

    @router.get(TASKS)
    async def tasks() -> Response:
        if not double.keeps_tasks:
            return _problem(404, "tasks_disabled", "No tasks here.")
        newest_first = reversed(double.tasks.values())
        return JSONResponse({"tasks": [task.body() for task in newest_first], "next": None})

    @router.get(TASKS + "/{name}")
    async def task(name: str) -> Response:
        if name not in double.tasks:
            return _problem(404, "task_not_found", "You have no task of this name.")
        return JSONResponse(double.tasks[name].body())

    @router.delete(TASKS + "/{name}")
    async def cancel(name: str) -> Response:
        double.tasks[name].status = "cancelled"
        return JSONResponse(double.tasks[name].body())

    return router


def _results(double: Double) -> APIRouter:
    router = APIRouter()

    @router.get(TASKS + "/{name}/events")
    async def events(name: str, request: Request) -> Response:
        last = request.headers.get("last-event-id")
        double.last_ids.append(last)
        return _stream(double.events(double.tasks[name], int(last or 0)))

    @router.get(TASKS + "/{name}/result")
    async def result(name: str, request: Request) -> Response:
        pages = double.tasks[name].pages
        content = "\n\n".join(page["markdown"] for page in pages)
        if request.headers["accept"] == "text/markdown":
            return PlainTextResponse(content, media_type="text/markdown")
        if request.headers["accept"] == "application/pdf":
            return Response(b"%PDF-searchable", media_type="application/pdf")
        if request.headers["accept"] == "text/html":
            return PlainTextResponse("<h1>Chapter 1</h1>", media_type="text/html")
        return JSONResponse({**SUMMARY, "content": content, "pages": pages})

    @router.get(TASKS + "/{name}/pages/{index}/image")
    async def image(name: str, index: int) -> Response:
        pages = {page["index"]: page for page in double.tasks[name].pages}
        if index not in pages:
            return _problem(404, "page_not_found", "The document has no such page.")
        return Response(_picture(pages[index]), media_type="image/png")

    return router


def _parse(double: Double) -> APIRouter:
    router = APIRouter()

    @router.post(PARSE)
    async def parse(request: Request) -> Response:
        assert request.query_params["stream"] == "true"
        if refused := await _refused(request, double):
            return refused
        task = double.accept()
        return _stream(_until_left(double, double.events(task, 0, named=False)))

    return router


async def _until_left(double: Double, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    try:
        async for event in events:
            yield event
    except (asyncio.CancelledError, GeneratorExit):
        double.left += 1
        raise


async def _refused(request: Request, double: Double) -> Response | None:
    async with request.form() as form:
        file, password = form["file"], form.get("password")
        assert not isinstance(file, str)
        double.uploads.append(await file.read())
        double.fields.append({n: v for n, v in form.items() if isinstance(v, str)})
    if double.password is not None and password is None:
        return _problem(422, "password_required", "The document is encrypted.")
    if double.password is not None and password != double.password:
        return _problem(422, "password_invalid", "The password does not open the document.")
    return None


def _problem(status: int, code: str, detail: str) -> Response:
    return JSONResponse({"code": code, "detail": detail, "status": status}, status)


def _stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(events, media_type="text/event-stream")


def _picture(page: dict[str, Any]) -> bytes:
    """Return a sheet with the page's texts where its boxes are."""
    sheet = Image.new("RGB", (page["width"], page["height"]), "white")
    draw = ImageDraw.Draw(sheet)
    for block in page["blocks"]:
        draw.text((block["box"][0] + 8, block["box"][1] + 8), block["text"], fill="black")
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    return buffer.getvalue()
