"""Fetches that are killed, and fetches at the same time, as real processes."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from docparser_runtime.weights import locks
from docparser_runtime.weights.journal import JOURNAL
from support.eventually import eventually
from support.file_server import Fault
from unit.runtime.weights.model import BIG, RANGE, SIZES, TOTAL, Pod

PROGRAM = """
import sys
from pathlib import Path
from docparser_api.weights import Weights
from docparser_runtime import logs
from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.fetch import Fetching
from docparser_runtime.weights.places import Places
from docparser_runtime.weights.readying import make_ready

how = Fetching(logs.create(sys.stderr, "info"), Credentials(), range_bytes=int(sys.argv[3]))
places = Places(Path(sys.argv[2]), check=Path("/nowhere"))
print(make_ready(Weights.model_validate_json(sys.argv[1]), places, how).reused)
"""


def start(pod: Pod) -> subprocess.Popen[str]:
    weights = pod.weights(connections=2).model_dump_json(by_alias=True)
    arguments = [weights, str(pod.places.cache), str(RANGE)]
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def journaled(pod: Pod) -> set[tuple[int, int]]:
    path = pod.places.partial(pod.target.name) / JOURNAL
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    pieces = [json.loads(line) for line in lines]
    return {(start, end) for name, start, end in pieces if name == BIG}


def hold_after(pod: Pod, count: int) -> threading.Event:
    """Let the server hold its answers once `count` ranges of the big file were asked for."""
    event = threading.Event()
    left = [None] * count

    def fault(request: object) -> Fault | None:
        if not str(getattr(request, "path", "")).endswith(BIG):
            return None
        return left.pop() if left else Fault(held=event)

    pod.server.fault = fault
    return event


def killed_after(pod: Pod, count: int) -> None:
    """Kill a fetch once `count` ranges of the big file are journaled; the server is well again."""
    event = hold_after(pod, count)
    with start(pod) as process:
        eventually(lambda: len(journaled(pod)), lambda pieces: pieces == count)
        process.kill()
        process.wait()
    event.set()
    pod.server.fault = lambda _: None


def test_a_killed_fetch_goes_on_where_it_was(pod: Pod, served: Path) -> None:
    event = hold_after(pod, 3)
    with start(pod) as process:
        eventually(lambda: (pod.server.holding, len(journaled(pod))), lambda it: it == (2, 3))
        process.send_signal(signal.SIGKILL)
        process.wait()
    event.set()
    eventually(lambda: pod.server.holding, lambda holding: holding == 0)
    done = journaled(pod)
    before = len(pod.server.asked(BIG))
    pod.server.fault = lambda _: None
    # The lock died with its process, so nobody waits.
    pod.fetch()
    again = {(one.start, one.end) for one in pod.server.asked(BIG)[before:]}
    assert again & done == set()
    assert len(again) == 6 - 3
    assert pod.files() == {name: (served / name).read_bytes() for name in SIZES}


def test_stale_pieces_are_found_by_their_digest(pod: Pod, served: Path) -> None:
    killed_after(pod, 3)
    # As after a loss of power: noted as written, but it was not.
    victim = pod.places.partial(pod.target.name) / BIG
    victim.write_bytes(bytes(SIZES[BIG]))
    pod.fetch()
    assert pod.files() == {name: (served / name).read_bytes() for name in SIZES}


def test_half_a_line_in_the_journal_is_no_piece(pod: Pod) -> None:
    killed_after(pod, 3)
    journal = pod.places.partial(pod.target.name) / JOURNAL
    with journal.open("a") as file:
        file.write(f'["{BIG}", 0, {SIZES[BIG]}')
    pod.fetch()
    assert len(pod.files()[BIG]) == SIZES[BIG]


def test_a_partial_directory_of_another_manifest_is_thrown_away(pod: Pod) -> None:
    partial = pod.places.partial(pod.target.name)
    partial.mkdir()
    (partial / JOURNAL).write_text(f'{"0" * 64}\n["{BIG}", 0, {SIZES[BIG]}]\n')
    (partial / BIG).write_bytes(b"x")
    (partial / "stranger.py").write_text("")
    pod.fetch()
    assert not (pod.target / "stranger.py").exists()


def test_two_pods_fetch_once(pod: Pod) -> None:
    event = hold_after(pod, 0)
    with start(pod) as first, start(pod) as second:
        eventually(lambda: pod.server.holding, lambda holding: holding == 2)
        waiting = eventually(lambda: _waits(first, second), bool, what="one waits for the other")
        event.set()
        outputs = sorted([first.stdout.read(), second.stdout.read()])  # type: ignore[union-attr]
        errors = first.stderr.read() + second.stderr.read()  # type: ignore[union-attr]
    assert waiting
    assert outputs == ["False\n", "True\n"], errors
    manifest_bytes = pod.server.sent["/files/docparser-manifest.json"]
    assert pod.server.total_sent == TOTAL + manifest_bytes
    assert len(pod.server.asked("docparser-manifest.json")) == 1


def _waits(*processes: subprocess.Popen[str]) -> bool:
    """Whether one of the processes has said that it waits for the other."""
    for process in processes:
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        try:
            text = os.read(process.stderr.fileno(), 65536)
        except BlockingIOError:
            continue
        finally:
            os.set_blocking(process.stderr.fileno(), True)
        if b"weights_waiting_for_another_pod" in text:
            return True
    return False


def test_a_lock_whose_file_was_removed_is_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locks.held_if_free(path) as first:
        path.unlink()
    with locks.held_if_free(path) as second:
        assert (first, second, path.exists()) == (True, True, True)
