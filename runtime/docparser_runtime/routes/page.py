"""The web page. It holds no secret and needs no token; what it shows does."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import Response

from docparser_runtime.errors import NotFound
from docparser_runtime.page.files import FILES, FOLDER, HEADERS, INDEX, PAGE, PageFile

router = APIRouter(tags=["page"])


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


def _answer(request: Request, file: PageFile) -> Response:
    headers = HEADERS | {"ETag": file.etag}
    known = request.headers.get("if-none-match", "").split(",")
    if file.etag in {tag.strip().removeprefix("W/") for tag in known}:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
