from pathlib import Path

import pytest
from localcluster import paths


def test_the_cache_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    monkeypatch.delenv("DOCPARSER_CACHE", raising=False)
    assert paths.cache() == Path("/xdg/docparser")
    monkeypatch.setenv("DOCPARSER_CACHE", "/own")
    assert paths.cache() == Path("/own")


def test_the_state_can_be_moved_and_names_the_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCPARSER_CLUSTER_STATE", "/somewhere/mine")
    state = paths.state()
    assert state.kubeconfig == Path("/somewhere/mine/kubeconfig")
    assert state.name == "mine"
