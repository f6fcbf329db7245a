import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from localcluster import processes
from localcluster.processes import Identity, Service

SLEEP = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(SLEEP, stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        yield child
        child.kill()


def identity_of(child: "subprocess.Popen[bytes]") -> Identity:
    identity = Identity.of(child.pid)
    assert identity
    return identity


def test_a_later_process_of_the_same_pid_is_not_ours(sleeper: "subprocess.Popen[bytes]") -> None:
    ours = identity_of(sleeper)
    earlier = replace(ours, start_ticks=ours.start_ticks - 1)
    assert ours.alive()
    assert not earlier.alive()
    earlier.send(signal.SIGKILL)
    replace(ours, boot="another").send(signal.SIGKILL)
    time.sleep(0.05)
    assert sleeper.poll() is None


def test_stop_returns_when_all_have_ended(sleeper: "subprocess.Popen[bytes]") -> None:
    ours = identity_of(sleeper)
    processes.stop([ours])
    assert not ours.alive()
    assert sleeper.wait() == -signal.SIGTERM


def test_stop_kills_what_does_not_listen() -> None:
    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True)"
    command = [sys.executable, "-c", f"{deaf}; time.sleep(60)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        processes.stop([identity_of(child)], grace_seconds=0.1)
        assert child.wait() == -signal.SIGKILL


def test_stopping_nothing_is_fine() -> None:
    processes.stop([])


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', "7"])
def test_a_broken_pid_file_names_nobody(tmp_path: Path, content: str) -> None:
    service = Service("s", tmp_path, tmp_path)
    service.pid_file.write_text(content)
    assert service.identity() is None


def test_a_stale_pid_file_names_nobody(tmp_path: Path, sleeper: "subprocess.Popen[bytes]") -> None:
    service = Service("s", tmp_path, tmp_path)
    ours = identity_of(sleeper)
    service.pid_file.write_text(json.dumps(asdict(ours)))
    assert service.identity() == ours
    service.pid_file.write_text(json.dumps(asdict(replace(ours, boot="another"))))
    assert service.identity() is None


def test_a_started_service_has_a_pid_file_and_a_log(tmp_path: Path) -> None:
    service = Service("s", tmp_path / "pids", tmp_path / "logs")
    child = service.start(SLEEP)
    reaper = threading.Thread(target=child.wait)
    reaper.start()
    identity = service.identity()
    assert identity
    assert identity.pid == child.pid
    processes.stop([identity])
    reaper.join()
    assert service.identity() is None
    assert service.log.exists()
