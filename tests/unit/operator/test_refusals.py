import pytest
from docparser_api.status import Reason
from docparser_operator.errors import ApiError, NameTakenError
from docparser_operator.problems import MAX_MESSAGE
from docparser_operator.refusals import namespace_ends, problem_of

NO_RIGHT = (
    'deployments.apps "r" is forbidden: User "system:serviceaccount:a:admission-b" cannot patch '
    'resource "deployments" in API group "apps" in the namespace "default"'
)
POLICY = (
    "deployments.apps \"r\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied "
    "request: no"
)
ENDING = (
    'services "r" is forbidden: unable to create new content in namespace default because it is '
    "being terminated"
)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NameTakenError("Service r"), Reason.NAME_CONFLICT),
        (ApiError(403, NO_RIGHT), Reason.FORBIDDEN),
        (ApiError(403, 'services "r" is forbidden: exceeded quota: q'), Reason.QUOTA_EXCEEDED),
        (ApiError(403, "violates PodSecurity"), Reason.ADMISSION_DENIED),
        (ApiError(422, POLICY), Reason.ADMISSION_DENIED),
        (ApiError(400, 'admission webhook "w" denied the request: no'), Reason.ADMISSION_DENIED),
        (ApiError(422, 'Service "r" is invalid: spec.ports[0].nodePort'), Reason.INVALID_SPEC),
        (ApiError(403, "no"), Reason.FORBIDDEN),
        (ApiError(400, "bad request"), Reason.API_ERROR),
    ],
)
def test_a_refusal_has_a_reason(error: ApiError | NameTakenError, reason: Reason) -> None:
    assert problem_of(error).reason == reason


def test_the_words_are_the_servers_own() -> None:
    assert problem_of(ApiError(403, NO_RIGHT)).message == NO_RIGHT


def test_the_words_fit_into_a_condition() -> None:
    assert len(problem_of(ApiError(422, "x" * 10_000)).message) == MAX_MESSAGE


def test_a_namespace_that_ends_is_told_from_a_lack_of_rights() -> None:
    assert namespace_ends(ApiError(403, ENDING))
    assert not namespace_ends(ApiError(403, NO_RIGHT))
