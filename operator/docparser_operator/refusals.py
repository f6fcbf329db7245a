"""What a refusal of the API server means for the user."""

import re

from docparser_api.status import Reason

from docparser_operator.errors import ApiError, NameTakenError
from docparser_operator.problems import Problem, creation_problem, problem

_FORBIDDEN = 403
_INVALID = 422
_NO_RIGHT = re.compile(r"cannot \S+ resource ")


def problem_of(error: ApiError | NameTakenError) -> Problem:
    """Return the problem behind `error`, with the server's own words."""
    if isinstance(error, NameTakenError):
        words = f"{error.what} exists and belongs to somebody else; delete or rename one of the two"
        return problem(Reason.NAME_CONFLICT, words)
    if error.status == _FORBIDDEN and _NO_RIGHT.search(error.message):
        return problem(Reason.FORBIDDEN, error.message)
    found = creation_problem(error.message)
    if found.reason != Reason.POD_CREATION_FAILED:
        return found
    reasons = {_FORBIDDEN: Reason.FORBIDDEN, _INVALID: Reason.INVALID_SPEC}
    return problem(reasons.get(error.status, Reason.API_ERROR), error.message)


def namespace_ends(error: ApiError) -> bool:
    """Return whether the namespace is being deleted, so that nothing more can be created."""
    return error.status == _FORBIDDEN and "is being terminated" in error.message
