"""Errors as the queue keeps them, and back."""

from docparser_runtime.errors import DocParserError
from docparser_runtime.queue.values import Failure


def failure_of(error: DocParserError) -> Failure:
    """Return what the queue keeps of an error."""
    return Failure(error.code, error.detail)


def error_of(failure: Failure | None) -> DocParserError:
    """Return the error that `failure` was made of, with the status that its code has."""
    if failure is None:
        return DocParserError("The task failed for a reason that was not kept.")
    kinds = {kind.code: kind for kind in DocParserError.__subclasses__()}
    return kinds.get(failure.code, DocParserError)(failure.detail)
