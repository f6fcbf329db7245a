import pytest
from docparser_operator.settings import Settings, SettingsError, identity, load


def test_an_empty_environment_gives_the_defaults() -> None:
    assert load({}) == Settings()


def test_values_are_read_by_type() -> None:
    settings = load(
        {
            "DOCPARSER_OPERATOR_WATCH_NAMESPACES": "a, b,",
            "DOCPARSER_OPERATOR_PORT": "9000",
            "DOCPARSER_OPERATOR_RESYNC_SECONDS": "1.5",
            "DOCPARSER_OTHER": "ignored",
        }
    )
    assert settings.watch_namespaces == ("a", "b")
    assert (settings.port, settings.resync_seconds) == (9000, 1.5)


def test_an_empty_list_of_namespaces_means_all() -> None:
    assert load({"DOCPARSER_OPERATOR_WATCH_NAMESPACES": ""}).watch_namespaces == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "0"), ("PORT", "http"), ("WORKERS", "0"), ("LOG_LEVEL", "loud"), ("LEESE", "x")],
)
def test_a_wrong_variable_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"DOCPARSER_OPERATOR_{name}: "):
        load({f"DOCPARSER_OPERATOR_{name}": value})


def test_every_process_has_a_name_of_its_own() -> None:
    assert identity() != identity()
