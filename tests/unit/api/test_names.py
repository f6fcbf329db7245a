from docparser_api import names
from docparser_api.resource import MAX_NAME_LENGTH
from docparser_operator.revisions import HASH_LENGTH

LABEL_VALUE = 63


def test_the_longest_name_with_a_hash_is_a_label_value() -> None:
    assert MAX_NAME_LENGTH + len("-") + HASH_LENGTH <= LABEL_VALUE


def test_the_variables_of_the_runtime_cannot_be_set_by_a_user() -> None:
    ours = (names.ENV_MODEL, names.ENV_RUNTIME, names.ENV_TOKEN)
    assert all(name.startswith(names.ENV_PREFIX) for name in ours)
