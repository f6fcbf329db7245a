"""Every error that a client can meet, each with its stable code and HTTP status."""

# ruff: noqa: N818 (the names are those of the codes that clients see)

from collections.abc import Mapping
from http import HTTPStatus


class DocParserError(Exception):
    """A failure that the client is told about as `application/problem+json`.

    Attributes:
        code: stable, machine-readable name of the failure.
        status: HTTP status.
        detail: what is wrong and what to do, without document text or internals.
        headers: extra HTTP headers, such as Retry-After.
    """

    code = "internal_error"
    status = HTTPStatus.INTERNAL_SERVER_ERROR

    def __init__(self, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.headers = dict(headers or {})


class InvalidRequest(DocParserError):
    """The request does not have the form that the API asks for."""

    code = "invalid_request"
    status = HTTPStatus.BAD_REQUEST


class EmptyDocument(DocParserError):
    """No document, or one of zero bytes."""

    code = "empty_document"
    status = HTTPStatus.BAD_REQUEST


class Unauthorized(DocParserError):
    """No token, or a wrong one."""

    code = "unauthorized"
    status = HTTPStatus.UNAUTHORIZED


class DocumentTooLarge(DocParserError):
    """The body exceeds `maxBodyBytes`, or as JSON the lower limit of such bodies."""

    code = "document_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class UnsupportedMediaType(DocParserError):
    """The content, whatever its name says, is none of the supported kinds."""

    code = "unsupported_media_type"
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class DocumentCorrupt(DocParserError):
    """The document is damaged beyond repair."""

    code = "document_corrupt"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class ParserCrashed(DocParserError):
    """The process that opened the document died."""

    code = "parser_crashed"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class DocumentTimeout(DocParserError):
    """Opening or drawing a page took longer than `pageTimeoutSeconds`."""

    code = "document_timeout"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class ResourceLimit(DocParserError):
    """Opening the document takes more memory than `parserMemoryBytes`."""

    code = "resource_limit"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class ImageTooLarge(DocParserError):
    """An image has more pixels than `maxPagePixels`."""

    code = "image_too_large"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class PageInvalid(DocParserError):
    """A page has no usable size."""

    code = "page_invalid"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class NoPages(DocParserError):
    """The document has no pages."""

    code = "no_pages"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class TooManyPages(DocParserError):
    """The document has more pages than `maxPages`."""

    code = "too_many_pages"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class PageRangeInvalid(DocParserError):
    """The document lacks a page that `page_range` names."""

    code = "page_range_invalid"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class PasswordRequired(DocParserError):
    """The document is encrypted and no password came with it."""

    code = "password_required"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class PasswordInvalid(DocParserError):
    """The password does not open the document."""

    code = "password_invalid"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class UnsupportedEncryption(DocParserError):
    """The document is encrypted in a way that no password opens, such as for a certificate."""

    code = "unsupported_encryption"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class UnsupportedParameter(DocParserError):
    """The engine of this deployment has no such parameter."""

    code = "unsupported_parameter"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class QueueFull(DocParserError):
    """`maxQueueLength` documents wait already."""

    code = "queue_full"
    status = HTTPStatus.TOO_MANY_REQUESTS


class QueueTimeout(DocParserError):
    """No place became free within `queueTimeoutSeconds`."""

    code = "queue_timeout"
    status = HTTPStatus.SERVICE_UNAVAILABLE


class RequestTimeout(DocParserError):
    """Reading took longer than `requestTimeoutSeconds`."""

    code = "request_timeout"
    status = HTTPStatus.GATEWAY_TIMEOUT


class NotReady(DocParserError):
    """The engine is still loading, or the pod is shutting down."""

    code = "not_ready"
    status = HTTPStatus.SERVICE_UNAVAILABLE


class ParserUnavailable(DocParserError):
    """The process that opens documents cannot be started."""

    code = "parser_unavailable"
    status = HTTPStatus.SERVICE_UNAVAILABLE


class EngineFailed(DocParserError):
    """The engine failed on a page that it should have read."""

    code = "engine_failed"
    status = HTTPStatus.INTERNAL_SERVER_ERROR


class NotFound(DocParserError):
    """Nothing lives at this path."""

    code = "not_found"
    status = HTTPStatus.NOT_FOUND


class MethodNotAllowed(DocParserError):
    """The path exists, the method does not; the header Allow names those that do."""

    code = "method_not_allowed"
    status = HTTPStatus.METHOD_NOT_ALLOWED


class NotAcceptable(DocParserError):
    """The header Accept excludes every form that the answer can take."""

    code = "not_acceptable"
    status = HTTPStatus.NOT_ACCEPTABLE


class BodyTimeout(DocParserError):
    """The request body came too slowly."""

    code = "body_timeout"
    status = HTTPStatus.REQUEST_TIMEOUT


class HeadTimeout(DocParserError):
    """The request's head came too slowly."""

    code = "head_timeout"
    status = HTTPStatus.REQUEST_TIMEOUT


class HeadTooLarge(DocParserError):
    """The request's head is too long."""

    code = "head_too_large"
    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


class Forbidden(DocParserError):
    """The token lacks the scope that this needs, or the address is not allowed."""

    code = "forbidden"
    status = HTTPStatus.FORBIDDEN


class RateLimited(DocParserError):
    """The tenant sends more requests per time than it may."""

    code = "rate_limited"
    status = HTTPStatus.TOO_MANY_REQUESTS
