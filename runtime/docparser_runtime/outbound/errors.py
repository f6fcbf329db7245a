"""What clients are told about addresses that they named. Never what was found behind them."""

# ruff: noqa: N818 (the names are those of the codes that clients see)

from http import HTTPStatus

from docparser_runtime.errors import DocParserError


class UrlNotAllowed(DocParserError):
    """The configuration does not let the service send requests to this address."""

    code = "url_not_allowed"
    status = HTTPStatus.BAD_REQUEST


class UrlUnreachable(DocParserError):
    """The address does not answer as it should."""

    code = "url_unreachable"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
