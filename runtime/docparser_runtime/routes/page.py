"""The web page, and pictures of pages for it.

The page itself holds no secret and needs no token; what it shows does.
"""

from http import HTTPStatus
from typing import Annotated, Any, Final

from docparser_api.names import PATH_TASKS
from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from docparser_runtime import apidoc, uploads
from docparser_runtime.context import InContext
from docparser_runtime.disconnect import unless_gone
from docparser_runtime.errors import DocParserError, NotFound
from docparser_runtime.page.files import FILES, FOLDER, HEADERS, INDEX, PAGE, PageFile
from docparser_runtime.page.pictures import MEDIA_TYPE
from docparser_runtime.security.callers import InCaller
from docparser_runtime.task_errors import (
    PageNotFound,
    QueueUnavailable,
    StorageUnavailable,
    TaskExpired,
    TaskNotFound,
    TasksDisabled,
)

router = APIRouter()
PATH_PICTURE: Final = PATH_TASKS + "/{task_id}/pages/{index}/image"
_PROBLEMS: Final[tuple[type[DocParserError], ...]] = (
    *apidoc.PARSE_PROBLEMS,
    PageNotFound,
    QueueUnavailable,
    StorageUnavailable,
    TaskExpired,
    TaskNotFound,
    TasksDisabled,
)
_PICTURE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The page as it looks; boxes of blocks are to be scaled by its width.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    },
    **apidoc.problems_of(_PROBLEMS),
}
Index = Annotated[int, Path(ge=0, le=1_000_000_000)]


@router.get(PAGE, include_in_schema=False)
async def index(request: Request) -> Response:
    """Return the page."""
    return _answer(request, FILES[INDEX])


@router.get(FOLDER + "/{name}", include_in_schema=False)
async def part(request: Request, name: str) -> Response:
    """Return a script, a style sheet or a picture of the page."""
    found = FILES.get(name)
    if found is None:
        raise NotFound("Nothing lives at this path.")
    return _answer(request, found)


@router.get(PATH_PICTURE, tags=["tasks"], responses=_PICTURE, response_class=Response)
async def picture(
    request: Request, task_id: str, index: Index, context: InContext, caller: InCaller
) -> Response:
    """Return a picture of a page of the document that was sent, `index` counting from 0."""
    uploads.refuse_query(request.query_params)
    place = context.tasks.opened()
    job = await place.desk.job(task_id, caller.tenant)
    drawn = await unless_gone(request, place.pictures.jpeg(job, index))
    return Response(drawn, media_type=MEDIA_TYPE)


def _answer(request: Request, file: PageFile) -> Response:
    headers = HEADERS | {"ETag": file.etag}
    known = request.headers.get("if-none-match", "").split(",")
    if file.etag in {tag.strip().removeprefix("W/") for tag in known}:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
