import pytest
from localcluster import build, paths, toolchain
from localcluster.console import Failure

GO_MOD = "module m\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/kubernetes v1.37.2 // indirect\n)\n"


def test_versions_come_from_go_mod() -> None:
    assert toolchain.required_version(GO_MOD) == (1, 26, 0)
    assert build.version_in(GO_MOD) == "v1.37.2"


@pytest.mark.parametrize("parse", [toolchain.required_version, build.version_in])
def test_a_go_mod_without_versions_is_refused(parse: object) -> None:
    assert callable(parse)
    with pytest.raises(Failure):
        parse("module m\n")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("go version go1.26.8 linux/amd64", (1, 26, 8)),
        ("go version go1.27 linux/arm64", (1, 27)),
        ("command not found", ()),
    ],
)
def test_installed_versions_compare_as_numbers(text: str, version: tuple[int, ...]) -> None:
    assert toolchain.parsed_version(text) == version


def test_a_newer_minor_version_is_new_enough() -> None:
    assert toolchain.parsed_version("go1.100.0") > toolchain.required_version(GO_MOD)


def test_the_programs_tell_their_version() -> None:
    flags = build.linker_flags("v1.37.2")
    assert "-X k8s.io/component-base/version.gitVersion=v1.37.2" in flags
    assert "version.gitMajor=1 " in flags
    assert "version.gitMinor=37 " in flags


def test_every_binary_is_a_tool_of_the_module_or_lies_in_it() -> None:
    go_mod = (paths.TOOLS / "go.mod").read_text()
    for binary in build.BINARIES:
        own = paths.TOOLS / binary.package.removeprefix("docparser.dev/localcluster/")
        assert f"\t{binary.package}\n" in go_mod or own.is_dir()


def test_the_key_of_the_binaries_is_that_of_go_sum() -> None:
    assert len(paths.binaries_key()) == 16
    assert paths.binaries().name == paths.binaries_key()


def test_helm_is_a_tool_of_its_own_module() -> None:
    assert f"tool {build.HELM.package}\n" in (paths.HELM_TOOLS / "go.mod").read_text()


def test_helm_and_kubernetes_have_keys_of_their_own() -> None:
    assert paths.helm_binaries().name == paths.binaries_key(paths.HELM_TOOLS)
    assert paths.helm_binaries().name != paths.binaries().name
