"""etcd and kube-apiserver alone, for integration tests: no root, no namespace, no node."""

import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from localcluster import build, components, kubeconfig, processes, waiting
from localcluster.api import Api
from localcluster.commands import Argv
from localcluster.pki import ADMIN, Pki
from localcluster.processes import Identity, Service

ASSETS_ENV = "KUBEBUILDER_ASSETS"
START_SECONDS = 60.0
LOOPBACK = "127.0.0.1"


@dataclass
class ControlPlane:
    """A control plane on free loopback ports, its files below `directory`.

    With `controllers` kube-controller-manager runs too (garbage collection, Deployments,
    namespaces, service accounts); without it, tests write what controllers would. Start it in
    a thread that outlives it: the servers end with the thread, so that none is left behind.
    """

    directory: Path
    controllers: bool = False
    _children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict, init=False)
    _ports: components.Ports | None = field(default=None, init=False)

    @property
    def kubeconfig(self) -> Path:
        """Access as cluster administrator."""
        return self.directory / "kubeconfig"

    @property
    def audit_log(self) -> Path:
        """Every request, one JSON object a line, at Metadata level."""
        return self.directory / "audit.log"

    @property
    def url(self) -> str:
        """The API server's address."""
        if not self._ports:
            raise RuntimeError("the control plane is not running")
        return f"https://{LOOPBACK}:{self._ports.apiserver}"

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Return when the API server is ready to be written to."""
        pki = Pki(self.directory / "pki")
        pki.make(
            [LOOPBACK, "localhost", components.FIRST_SERVICE_ADDRESS], [ADMIN, "controller-manager"]
        )
        reserved = [_reserve() for _ in range(3)]
        try:
            self._ports = components.Ports(*(holder.getsockname()[1] for holder in reserved))
            self._start_servers(pki, self._ports)
        finally:
            for holder in reserved:
                holder.close()
        kubeconfig.write(self.kubeconfig, self.url, pki, ADMIN)
        if self.controllers:
            self._start_controllers(pki, self._ports.apiserver)

    def pause_apiserver(self) -> None:
        """Freeze the API server: connections stay open and nothing answers."""
        self._child("kube-apiserver").send_signal(signal.SIGSTOP)

    def resume_apiserver(self) -> None:
        """Let a paused API server go on."""
        self._child("kube-apiserver").send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End all processes, the last started first; fine when some never started."""
        for name, child in reversed(self._children.items()):
            if name == "kube-apiserver":
                child.send_signal(signal.SIGCONT)  # a paused one would not hear the next signal
            # The data is thrown away, so nobody waits for the servers' slow goodbye.
            if identity := Identity.of(child.pid):
                processes.stop([identity], grace_seconds=1)
            child.wait()
        self._children.clear()
        self._ports = None

    def _child(self, name: str) -> subprocess.Popen[bytes]:
        if name not in self._children:
            raise RuntimeError(f"{name} is not running")
        return self._children[name]

    def _start_servers(self, pki: Pki, ports: components.Ports) -> None:
        policy = self.directory / "audit-policy.yaml"
        policy.write_text(components.AUDIT_POLICY)
        # What an earlier run left in the same folder is not this run's.
        shutil.rmtree(self.directory / "etcd", ignore_errors=True)
        self.audit_log.unlink(missing_ok=True)
        programs = _programs("etcd", "kube-apiserver")
        self._run("etcd", components.etcd(programs / "etcd", self.directory / "etcd", ports))
        argv = components.apiserver(programs / "kube-apiserver", pki, ports, policy, self.audit_log)
        local = [f"--bind-address={LOOPBACK}", f"--advertise-address={LOOPBACK}"]
        # The kubernetes Service refuses a loopback endpoint, and nothing here would use it.
        local.append("--endpoint-reconciler-type=none")
        if not self.controllers:
            # Nobody makes the default service accounts that this plug-in insists on.
            local.append("--disable-admission-plugins=ServiceAccount")
        server = self._run("kube-apiserver", [*argv, *local])
        api = Api(ports.apiserver, pki)

        def ready() -> bool:
            server.require_alive()
            return api.ready()

        waiting.until("the API server is ready", ready, START_SECONDS, server.log, 0.05)

    def _start_controllers(self, pki: Pki, port: int) -> None:
        access = self.directory / "controller-manager.kubeconfig"
        kubeconfig.write(access, self.url, pki, "controller-manager")
        program = _programs("kube-controller-manager") / "kube-controller-manager"
        argv = components.controller_manager(program, pki, access)
        manager = self._run("kube-controller-manager", [*argv, "--secure-port=0"])
        api = Api(port, pki)

        def ready() -> bool:
            manager.require_alive()
            account = "/api/v1/namespaces/default/serviceaccounts/default"
            return api.json(account) is not None

        waiting.until("the controllers work", ready, START_SECONDS, manager.log)

    def _run(self, name: str, argv: Argv) -> Service:
        service = Service(name, self.directory / "pids", self.directory / "logs")
        service.log.unlink(missing_ok=True)
        # Killed test runs leave no server behind, where the system can promise that.
        leash: Argv = ["setpriv", "--pdeathsig=KILL", "--"]
        bound = [*leash, *argv] if shutil.which("setpriv") else argv
        self._children[name] = service.start(bound)
        return service


def _programs(*names: str) -> Path:
    own = os.environ.get(ASSETS_ENV)
    if own and all((Path(own) / name).exists() for name in names):
        return Path(own)
    return build.ensure(names)


def _reserve() -> socket.socket:
    """A free port, held until the server that may share it has taken it."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    holder.bind((LOOPBACK, 0))
    return holder
