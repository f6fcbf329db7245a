"""Two operators of which the leader is killed or paused again and again while specs change."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from docparser_api import names
from localcluster.controlplane import ControlPlane
from support.audit import Request, Trail
from support.direct_api import DirectApi
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest
from support.leader_turns import changes_of_leader, out_of_turn
from support.operator_process import OperatorProcess

OBJECTS = 20
EDITS_PER_SECOND = 5.0
TAKEOVER_SECONDS = 30.0
LOOK_SECONDS = 0.2
NOTICE_SECONDS = 15.0
IN_HAND_SECONDS = 3.0
"""Time within which a busy machine sends them."""


@dataclass(frozen=True)
class Outcome:
    """What came of the rounds.

    Attributes:
        takeover_seconds: from each kill or pause to the next leader's first renewal.
        edits: changes of a spec meanwhile.
        writes: requests of the operators meanwhile that changed something or tried to.
        out_of_turn: those that changed something though another one led, those in hand left out.
        in_hand: those that a paused leader was about to send, and sent as soon as it woke up. Each
            names the version of the object that it is for, so that it is taken only where nobody
            has written since.
        changes: how often the Lease changed hands.
    """

    takeover_seconds: list[float]
    edits: int
    writes: int
    out_of_turn: list[Request]
    in_hand: list[Request]
    changes: int


@dataclass
class LeaderChurn:
    """The rounds, on a control plane of one's own or a test's.

    Each operator has a ServiceAccount, by which the audit log tells one from the other.
    """

    plane: ControlPlane
    kubectl: Kubectl
    directory: Path
    _operators: dict[str, OperatorProcess] = field(default_factory=dict)
    _edits: int = 0
    _woken: list[datetime] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self, rounds: int) -> Outcome:
        """Depose the leader `rounds` times, in turn by SIGKILL and by SIGSTOP."""
        began = datetime.now(UTC)
        trail = Trail(self.plane.audit_log, self.kubectl.namespace)
        for name in ("first", "second"):
            self._operators[self._user(name)] = self._operator(name)
        try:
            for operator in self._operators.values():
                operator.start().wait_ready()
            with closing(DirectApi(self.plane)) as api, self._edited(api):
                takeovers = [self._round(trail, number) for number in range(rounds)]
        finally:
            for operator in self._operators.values():
                operator.kill()
        users = set(self._operators)
        seen = trail.since(began)
        writes = [r for r in seen if r.user in users and r.writes and r.resource != "leases"]
        out = out_of_turn(seen, users)
        in_hand = [request for request in out if self._is_in_hand(request)]
        late = [request for request in out if request not in in_hand]
        changes = changes_of_leader(seen, users)
        return Outcome(takeovers, self._edits, len(writes), late, in_hand, changes)

    def _is_in_hand(self, request: Request) -> bool:
        """Return whether it came as soon as a paused leader had woken up."""
        ages = [(request.received - woken).total_seconds() for woken in self._woken]
        return any(0 <= age < IN_HAND_SECONDS for age in ages)

    def _round(self, trail: Trail, number: int) -> float:
        """Depose the leader once; return the seconds until another one led."""
        old = eventually(lambda: self._holder(trail), bool, TAKEOVER_SECONDS, "somebody leads")
        operator = self._operators[old]
        deposed = time.monotonic()
        operator.send(signal.SIGSTOP if number % 2 else signal.SIGKILL)
        while self._holder(trail) == old:
            assert time.monotonic() - deposed < TAKEOVER_SECONDS, "nobody took over"
            time.sleep(LOOK_SECONDS)
        taken = time.monotonic() - deposed
        if number % 2:
            # The new one has begun to write by then, and the old one does not know.
            time.sleep(1)
            self._woken.append(datetime.now(UTC))
            operator.send(signal.SIGCONT)
            told = operator.log.read_text().count("no longer leading")
            eventually(
                lambda: operator.log.read_text().count("no longer leading"),
                lambda count: count > told,
                NOTICE_SECONDS,
                "the old leader notices",
            )
        else:
            operator.kill()
            operator.start().wait_ready()
        return taken

    def _holder(self, trail: Trail) -> str:
        """Return the user that renewed the Lease last."""
        seen = trail.since(datetime.min.replace(tzinfo=UTC))
        leases = [r for r in seen if r.resource == "leases" and r.user in self._operators]
        renewed = [r.user for r in leases if r.writes and r.code < 300]
        return renewed[-1] if renewed else ""

    @contextmanager
    def _edited(self, api: DirectApi) -> Iterator[None]:
        """Change specs all the time."""
        path = f"/apis/{names.API_VERSION}/namespaces/{self.kubectl.namespace}/{names.PLURAL}"
        for number in range(OBJECTS):
            api.call("POST", path, _reader(number))

        def edit() -> None:
            while not self._stop.wait(1 / EDITS_PER_SECOND):
                one = f"{path}/reader-{self._edits % OBJECTS:02}"
                spec = {"runtime": {"maxConcurrency": 1 + self._edits // OBJECTS % 3}}
                api.patch(one, {"spec": spec})
                self._edits += 1

        editor = threading.Thread(target=edit)
        editor.start()
        try:
            yield
        finally:
            self._stop.set()
            editor.join()

    def _user(self, name: str) -> str:
        return f"system:serviceaccount:{self.kubectl.namespace}:{name}"

    def _operator(self, name: str) -> OperatorProcess:
        """Return an operator that is known to the API server as `name`."""
        space = self.kubectl.namespace
        self.kubectl.run("create", "serviceaccount", name)
        binding = ("--clusterrole=cluster-admin", f"--serviceaccount={space}:{name}")
        self.kubectl.run("create", "clusterrolebinding", f"{space}-{name}", *binding)
        token = self.kubectl.run("create", "token", name, "--duration=2h").strip()
        config = json.loads(self.kubectl.kubeconfig.read_text())
        config["users"][0]["user"] = {"token": token}
        file = self.directory / f"{name}.kubeconfig"
        file.write_text(json.dumps(config))
        kubectl = Kubectl(self.kubectl.program, file, space)
        return OperatorProcess(kubectl, self.directory / f"{name}.log")


def _reader(number: int) -> Manifest:
    return {
        "apiVersion": names.API_VERSION,
        "kind": names.KIND,
        "metadata": {"name": f"reader-{number:02}"},
        "spec": {
            "image": "example.org/runtime:1",
            "model": {"engine": "fake"},
            "replicas": 0,
        },
    }
