import hashlib
from pathlib import Path
from typing import Any

import pytest
from docparser_runtime.security.files import ReloadError
from docparser_runtime.security.tokens import Tokens
from unit.runtime.security.doors import tokens_file

ONE, TWO = "canary-token-number-1", "canary-token-number-2"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def tenant(tokens: Tokens, token: str) -> str | None:
    grant = tokens.keyring.grant(token)
    return None if grant is None else grant.caller.tenant


def test_tokens_may_stand_there_or_their_digests(tmp_path: Path) -> None:
    file = tokens_file(
        tmp_path,
        {"tenant": "a", "token": ONE, "requests_per_minute": 5, "pages_per_minute": 7},
        {"tenant": "b", "sha256": digest(TWO).upper(), "scopes": ["parse", "admin"]},
    )
    tokens = Tokens(None, file)
    first, second = tokens.keyring.grant(ONE), tokens.keyring.grant(TWO)
    assert first is not None
    assert (first.requests_per_minute, first.pages_per_minute) == (5, 7)
    assert (first.caller.tenant, sorted(first.caller.scopes)) == ("a", ["parse"])
    assert second is not None
    assert (second.requests_per_minute, second.pages_per_minute) == (None, None)
    assert (second.caller.tenant, sorted(second.caller.scopes)) == ("b", ["admin", "parse"])


@pytest.mark.parametrize("token", ["", ONE[:-1], ONE + " ", ONE.upper(), digest(ONE), "é"])
def test_what_is_no_token_is_nobody(tmp_path: Path, token: str) -> None:
    tokens = Tokens(None, tokens_file(tmp_path, {"tenant": "a", "token": ONE}))
    assert tokens.keyring.grant(token) is None


def test_the_file_may_be_yaml(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"tokens:\n- tenant: a\n  token: {ONE}\n  requestsPerMinute: 5\n")
    grant = Tokens(None, file).keyring.grant(ONE)
    assert grant is not None
    assert grant.requests_per_minute == 5


def test_the_token_of_the_environment_stays_valid_beside_the_file(tmp_path: Path) -> None:
    tokens = Tokens("s3cr3t", tokens_file(tmp_path, {"tenant": "a", "token": ONE}))
    assert (tenant(tokens, "s3cr3t"), tenant(tokens, ONE)) == ("default", "a")
    own = tokens.keyring.grant("s3cr3t")
    assert own is not None
    assert own.caller.scopes == {"parse", "admin"}


def test_tokens_are_asked_for_where_there_is_a_source_even_an_empty_one(tmp_path: Path) -> None:
    assert not Tokens(None, None).asked_for
    assert Tokens("s3cr3t", None).asked_for
    assert Tokens(None, tokens_file(tmp_path)).asked_for


def test_a_file_that_is_reloaded_replaces_all_tokens(tmp_path: Path) -> None:
    tokens = Tokens(None, tokens_file(tmp_path, {"tenant": "a", "token": ONE}))
    tokens_file(tmp_path, {"tenant": "b", "token": TWO})
    assert (tenant(tokens, ONE), tenant(tokens, TWO)) == ("a", None)
    tokens.reload()
    assert (tenant(tokens, ONE), tenant(tokens, TWO)) == (None, "b")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"token": ONE}, "tokens.0.tenant: Field required"),
        ({"tenant": "a"}, "tokens.0: Value error, set exactly one of token and sha256"),
        ({"tenant": "a", "token": ONE, "sha256": digest(ONE)}, "set exactly one"),
        ({"tenant": "a", "token": "canary"}, "tokens.0.token: Value should have at least 16"),
        ({"tenant": "a", "token": "canary canary canary"}, "without blanks"),
        ({"tenant": "a", "token": "canary-canary-é-canary"}, "printable ASCII"),
        ({"tenant": "a", "token": 1234567890123456}, "tokens.0.token: "),
        ({"tenant": "a", "sha256": "canary"}, "tokens.0.sha256: String should match pattern"),
        ({"tenant": "a", "sha256": digest("")}, "the digest of no token"),
        ({"tenant": "a", "sha256": digest("\n")}, "the digest of no token"),
        ({"tenant": "a b", "token": ONE}, "tokens.0.tenant: String should match pattern"),
        ({"tenant": "a", "token": ONE, "scopes": ["canary"]}, "tokens.0.scopes.0: Input should be"),
        ({"tenant": "a", "token": ONE, "requests_per_minute": 0}, "requests_per_minute: "),
        ({"tenant": "a", "canary-token": ONE}, "tokens.0.?: Extra inputs"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused_without_a_quotation(
    tmp_path: Path, entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(ReloadError) as refusal:
        Tokens(None, tokens_file(tmp_path, entry))
    assert message in str(refusal.value)
    assert "canary" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no object with the key tokens"),
        (b"canary", "no object with the key tokens"),
        (b'{"tokens": {"canary": 1}}', "tokens: Input should be a valid tuple"),
        (b'{"tokens": [{"canary', "neither JSON nor YAML: line 1"),
        (b"tokens:\n- [canary", "neither JSON nor YAML: line 2"),
        (b"\xff\x00canary", "neither JSON nor YAML"),
        (b"- !!python/object:canary {}", "neither JSON nor YAML"),
        (b"[" * 100_000, "nested too deeply"),
        (b"- " * 100_000, "nested too deeply"),
        (b" " * 1024 * 1025, "longer than"),
    ],
)
def test_a_file_that_is_malformed_is_refused_without_a_quotation(
    tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "tokens"
    file.write_bytes(content)
    with pytest.raises(ReloadError) as refusal:
        Tokens(None, file)
    assert message in str(refusal.value)
    assert "canary" not in str(refusal.value)


def test_one_token_has_one_owner(tmp_path: Path) -> None:
    file = tokens_file(
        tmp_path, {"tenant": "a", "token": ONE}, {"tenant": "b", "sha256": digest(ONE)}
    )
    with pytest.raises(ReloadError, match="twice"):
        Tokens(None, file)


def test_a_tenant_has_one_limit(tmp_path: Path) -> None:
    file = tokens_file(
        tmp_path,
        {"tenant": "a", "token": ONE, "requests_per_minute": 1},
        {"tenant": "a", "token": TWO, "requests_per_minute": 2},
    )
    with pytest.raises(ReloadError, match="limits of tenant a differ"):
        Tokens(None, file)


def test_no_representation_tells_a_token_or_its_digest(tmp_path: Path) -> None:
    tokens = Tokens("s3cr3t", tokens_file(tmp_path, {"tenant": "a", "token": ONE}))
    assert "grants" not in repr(tokens.keyring)
