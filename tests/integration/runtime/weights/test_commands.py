"""The commands, as Kubernetes calls them."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from docparser_api.names import ENV_MODEL, ENV_PREFIX, ENV_RUNTIME
from docparser_runtime.weights import ending
from docparser_runtime.weights.errors import Code
from docparser_runtime.weights.marker import MARKER
from support.eventually import eventually
from support.file_server import Fault
from unit.runtime.weights.model import BIG, TOTAL, Pod, fill

SECRET = "canary-token"
PROGRAM = (sys.executable, "-m", "docparser_runtime")


def environment(pod: Pod, **changes: Any) -> dict[str, str]:
    weights = pod.weights(**changes).model_dump(by_alias=True, exclude_defaults=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ENV_PREFIX)}
    return clean | {ENV_MODEL: json.dumps({"engine": "fake", "weights": weights})}


def options(pod: Pod) -> list[str]:
    places = pod.places
    return [
        f"--cache={places.cache}",
        f"--source={places.source}",
        f"--check={places.check}",
        f"--manifest-file={places.manifest}",
    ]


class Ran:
    """A command that has ended."""

    def __init__(self, pod: Pod, environ: dict[str, str], *arguments: str) -> None:
        log = pod.places.check.parent / "termination-log"
        before = () if arguments[0] == "check" else ("weights",)
        command = [*PROGRAM, *before]
        if arguments[0] == "check":
            command += [*arguments, *options(pod)]
        else:
            command += [*options(pod), *arguments]
        done = subprocess.run(
            [*command, f"--termination-log={log}"],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        self.code = done.returncode
        self.told = done.stdout + done.stderr + log.read_text()
        self.ending = json.loads(log.read_text())
        assert json.loads(done.stdout) == self.ending
        self.events = [json.loads(line) for line in done.stderr.splitlines()]


def test_fetch_verify_check_and_prune(pod: Pod) -> None:
    pod.server.token = SECRET
    environ = environment(pod)
    early = Ran(pod, environ, "check")
    assert (early.code, early.ending["code"]) == (1, Code.NOT_VERIFIED)
    with_token = environ | {"DOCPARSER_WEIGHTS_TOKEN": f"{SECRET}\n"}
    fetched = Ran(pod, with_token, "fetch")
    assert fetched.code == 0
    assert fetched.ending.pop("seconds") >= 0
    name = pod.target.name
    assert fetched.ending == {
        "code": "Verified", "directory": name, "bytes": TOTAL, "reused": False,
    }  # fmt: skip
    assert Ran(pod, environ, "fetch").ending["reused"] is True
    for command in (("verify",), ("check",), ("check", "--full")):
        assert (Ran(pod, environ, *command).ending["code"]) == "Verified"
    os.utime(pod.target / BIG, ns=(1, 1))
    changed = Ran(pod, environ, "check")
    assert (changed.code, changed.ending["code"]) == (1, Code.NOT_VERIFIED)
    pruned = Ran(pod, environ, "prune", "--keep", "other", "--minimum-age-seconds", "0")
    assert pruned.ending["removed"] == [name]
    assert not pod.target.exists()
    assert SECRET not in fetched.told


def test_failures_are_told_where_kubernetes_looks(pod: Pod) -> None:
    pod.server.token = "another"
    environ = environment(pod) | {"DOCPARSER_WEIGHTS_TOKEN": SECRET}
    refused = Ran(pod, environ, "fetch")
    assert refused.code == 1
    assert refused.ending["code"] == Code.ACCESS_DENIED
    assert refused.ending["file"] == "docparser-manifest.json"
    assert set(refused.ending) == {"code", "file", "message"}
    assert SECRET not in refused.told


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({ENV_MODEL: "{}"}, "spec.model.weights is not set"),
        ({ENV_MODEL: "{"}, "Invalid JSON"),
        ({"DOCPARSER_WEIGHTS_TOKN": "x"}, "unknown environment variables: DOCPARSER_WEIGHTS_TOKN"),
    ],
)
def test_a_wrong_configuration_is_told(pod: Pod, environ: dict[str, str], message: str) -> None:
    ran = Ran(pod, environment(pod) | environ, "fetch")
    assert (ran.code, ran.ending["code"]) == (1, Code.CONFIGURATION_INVALID)
    assert message in ran.ending["message"]


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({ENV_MODEL: "{}"}, "Verified"),
        ({ENV_RUNTIME: '{"maxConcurrency": 0}'}, Code.CONFIGURATION_INVALID),
        ({"DOCPARSER_TOKEN": ""}, Code.CONFIGURATION_INVALID),
        # The service itself would refuse the variable.
        ({"DOCPARSER_WEIGHTS_TOKEN": "x"}, Code.CONFIGURATION_INVALID),
    ],
)
def test_check_judges_as_the_service_would(pod: Pod, environ: dict[str, str], code: str) -> None:
    ran = Ran(pod, environment(pod) | environ, "check")
    assert (ran.code == 0, ran.ending["code"]) == (code == "Verified", code)


def test_check_reads_every_byte_of_a_volume(pod: Pod) -> None:
    spec = {"source": {"persistentVolumeClaim": {"claimName": "weights"}}, "cache": {}}
    fill(pod.places.source)
    environ = environment(pod, **spec)
    assert Ran(pod, environ, "check").ending["code"] == Code.NOT_VERIFIED
    assert Ran(pod, environ, "check", "--full").ending["code"] == "Verified"
    (pod.places.source / BIG).write_bytes(b"x")
    assert Ran(pod, environ, "check", "--full").ending["code"] == Code.FILE_SHORT
    assert not (pod.places.check / MARKER).exists()


def test_sigterm_ends_a_fetch_at_once(pod: Pod) -> None:
    event = threading.Event()
    pod.server.fault = lambda _: Fault(held=event)
    command = [*PROGRAM, "weights", *options(pod), "fetch"]
    with subprocess.Popen(command, env=environment(pod)) as process:
        eventually(lambda: pod.server.holding, bool)
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 128 + signal.SIGTERM
    event.set()


def test_manifest_prints_what_the_spec_must_say(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"x")
    command = [*PROGRAM, "weights", "manifest", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sha256 = done.stdout.splitlines()[0]
    assert f"    sha256: {sha256}\n" in done.stdout
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert again.stdout == done.stdout
    (tmp_path / "model.bin").unlink()
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "there are no files" in refused.stderr


def test_many_versions_are_counted_not_named() -> None:
    line = ending.pruned([f"{'v' * 63}-{number:016x}" for number in range(100)], 5)
    assert len(line) < 1000
    assert (json.loads(line)["count"], len(json.loads(line)["removed"])) == (100, 8)


def test_endings_are_whole_lines_however_long() -> None:
    line = ending.failed(Code.DISK_FULL, "f" * 5000, '"\\' * 5000)
    assert len(line) <= 1000
    assert json.loads(line)["message"].endswith("...")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(5, "Input/output error"), Code.STORAGE_FAILED),
        (OSError(28, "No space left on device"), Code.DISK_FULL),
        (ValueError("canary"), Code.INTERNAL),
    ],
)
def test_unforeseen_errors_have_a_code(error: Exception, code: Code) -> None:
    line = ending.of_error(error)
    assert json.loads(line)["code"] == code
    assert "canary" not in line
