"""What a refusal of the API server means for the user."""

from docparser_api.status import Reason

from docparser_operator.errors import ApiError, NameTakenError
from docparser_operator.problems import Problem, creation_problem

_FORBIDDEN = 403
_INVALID = 422


def problem_of(error: ApiError | NameTakenError) -> Problem:
    """Return the problem behind `error`, with the server's own words."""
    if isinstance(error, NameTakenError):
        words = f"{error.what} exists and belongs to somebody else; delete or rename one of the two"
        return Problem(Reason.NAME_CONFLICT, words)
    if error.status == _INVALID:
        return Problem(Reason.INVALID_SPEC, error.message)
    found = creation_problem(error.message)
    if found.reason != Reason.POD_CREATION_FAILED:
        return found
    reason = Reason.FORBIDDEN if error.status == _FORBIDDEN else Reason.API_ERROR
    return Problem(reason, found.message)


def namespace_ends(error: ApiError) -> bool:
    """Return whether the namespace is being deleted, so that nothing more can be created."""
    return error.status == _FORBIDDEN and "is being terminated" in error.message
