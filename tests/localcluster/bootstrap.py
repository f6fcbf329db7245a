"""Starting a cluster on this machine from nothing: control plane, node, DNS, host access."""

import contextlib
import shutil
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from localcluster import (
    commands,
    components,
    dns,
    host,
    kubeconfig,
    node,
    packages,
    paths,
    waiting,
)
from localcluster.api import Api
from localcluster.commands import Argv
from localcluster.console import Failure, say
from localcluster.containerd import Containerd
from localcluster.netns import Namespace
from localcluster.paths import State
from localcluster.pki import ADMIN, CLIENTS, NODE, Pki
from localcluster.processes import Service

PORTS = components.Ports(etcd=2379, etcd_peer=2380, apiserver=6443)
FORWARDED_PORT = 16443
API_SECONDS = 90.0
NODE_SECONDS = 120.0
SERVICES = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "containerd",
    "kubelet",
    "kube-proxy",
    "coredns",
    "forwarder",
)


def service(state: State, name: str) -> Service:
    """One of the cluster's processes."""
    return Service(name, state.pids, state.logs)


def api(state: State) -> Api:
    """The API server as the host reaches it."""
    return Api(int((state.config / "port").read_text()), Pki(state.pki))


def node_ready(server: Api) -> bool:
    """Whether the node says that it takes pods, and pods may have their default account."""
    if not (found := server.json(f"/api/v1/nodes/{NODE}")):
        return False
    ready = {"type": "Ready", "status": "True"}.items()
    conditions = found["status"].get("conditions", [])
    account = "/api/v1/namespaces/default/serviceaccounts/default"
    return any(ready <= condition.items() for condition in conditions) and bool(
        server.json(account)
    )


@dataclass(frozen=True)
class Bootstrap:
    """One start; everything it makes lies in the state folder or in the namespace."""

    state: State
    programs: Path

    def run(self) -> None:
        """Return when pods can run and resolve names."""
        say(f"starting Kubernetes below {self.state.root}")
        self._write_files()
        self._namespace.create(node.ADDRESS)
        self._start_control_plane()
        self._start_node()
        self._wait_for_node()
        # Written last: a start that was cut short is never taken for a running cluster.
        self.state.binaries_key.write_text(self.programs.name)
        say("the cluster is ready")

    @property
    def _namespace(self) -> Namespace:
        return Namespace(self.state.name)

    @property
    def _pki(self) -> Pki:
        return Pki(self.state.pki)

    def _write_files(self) -> None:
        for folder in (self.state.root, self.state.config, self.state.logs, self.state.pids):
            folder.mkdir(parents=True, exist_ok=True)
        host.remember(self.state)
        hosts = ["127.0.0.1", "localhost", node.ADDRESS, components.FIRST_SERVICE_ADDRESS]
        hosts += ["kubernetes", "kubernetes.default", "kubernetes.default.svc"]
        hosts.append(f"kubernetes.default.svc.{node.DNS_DOMAIN}")
        self._pki.make(hosts, CLIENTS)
        inside = f"https://{node.ADDRESS}:{PORTS.apiserver}"
        for client in CLIENTS:
            target = self.state.config / f"{client}.kubeconfig"
            kubeconfig.write(target, inside, self._pki, client)
        node.configure(self.state)
        (self.state.config / "audit-policy.yaml").write_text(components.AUDIT_POLICY)
        access = self.state.config / "coredns.kubeconfig"
        (self.state.config / "Corefile").write_text(dns.corefile(access))

    def _run(self, name: str, argv: Argv) -> Service:
        started = service(self.state, name)
        started.start(self._namespace.wrap(argv))
        return started

    def _start_control_plane(self) -> None:
        etcd = components.etcd(self.programs / "etcd", self.state.root / "etcd", PORTS)
        self._run("etcd", etcd)
        server = self._run("kube-apiserver", self._apiserver())
        self._start_forwarder()
        reach = api(self.state)

        def ready() -> bool:
            server.require_alive()
            return reach.ready()

        waiting.until("the API server is ready", ready, API_SECONDS, server.log)
        url = f"https://127.0.0.1:{reach.port}"
        kubeconfig.write(self.state.kubeconfig, url, self._pki, ADMIN)
        say(f"API server ready at {url}")
        access = self.state.config
        manager = components.controller_manager(
            self.programs / "kube-controller-manager",
            self._pki,
            access / "controller-manager.kubeconfig",
        )
        cidrs = ["--allocate-node-cidrs=true", f"--cluster-cidr={components.POD_CIDR}"]
        local = ["--bind-address=127.0.0.1"]
        self._run("kube-controller-manager", [*manager, *cidrs, *local])
        reading = [f"--kubeconfig={access / 'scheduler.kubeconfig'}", "--leader-elect=false"]
        self._run("kube-scheduler", [self.programs / "kube-scheduler", *reading, *local])

    def _apiserver(self) -> Argv:
        policy = self.state.config / "audit-policy.yaml"
        argv = components.apiserver(
            self.programs / "kube-apiserver", self._pki, PORTS, policy, self.state.audit_log
        )
        return [
            *argv,
            f"--advertise-address={node.ADDRESS}",
            # For logs, exec and port-forward the API server calls the kubelet.
            "--kubelet-preferred-address-types=InternalIP",
            f"--kubelet-client-certificate={self._pki.certificate('kubelet-client')}",
            f"--kubelet-client-key={self._pki.key('kubelet-client')}",
        ]

    def _start_forwarder(self) -> None:
        port = _free_port(FORWARDED_PORT)
        (self.state.config / "port").write_text(str(port))
        module = [sys.executable, "-m", "localcluster.forwarder"]
        target = f"{node.ADDRESS}:{PORTS.apiserver}"
        service(self.state, "forwarder").start(
            [*module, self._namespace.handle, str(port), target],
            env={"PYTHONPATH": str(paths.PACKAGE.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def _start_node(self) -> None:
        runtime = Containerd(self.state)
        plugins = packages.cni_folder()
        if not plugins:
            raise Failure(f"no CNI plug-ins in any of {', '.join(packages.CNI_FOLDERS)}")
        program = shutil.which("containerd") or "containerd"
        running = self._run("containerd", [program, "--config", runtime.configure(plugins)])
        waiting.until("containerd answers", runtime.answers, 30, running.log)
        runtime.load_pause(self.programs / "pause")
        self._kubectl("apply", "--server-side", "-f", "-", stdin=dns.manifests())
        self._run("kubelet", node.kubelet(self.programs / "kubelet", self.state))
        self._run("kube-proxy", node.kube_proxy(self.programs / "kube-proxy", self.state))
        corefile = self.state.config / "Corefile"
        self._run("coredns", dns.coredns(self.programs / "coredns", corefile))

    def _wait_for_node(self) -> None:
        for name in SERVICES:
            service(self.state, name).require_alive()
        kubelet, coredns = service(self.state, "kubelet"), service(self.state, "coredns")

        def ready() -> bool:
            kubelet.require_alive()
            return node_ready(api(self.state))

        def resolving() -> bool:
            coredns.require_alive()
            name = f"kubernetes.default.svc.{node.DNS_DOMAIN}"
            return self._namespace.call(lambda: dns.resolves(name))

        waiting.until("the node is Ready", ready, NODE_SECONDS, kubelet.log, 0.3)
        say("node Ready")
        waiting.until("DNS answers through its Service", resolving, NODE_SECONDS, coredns.log, 0.3)

    def _kubectl(self, *words: str, stdin: str) -> None:
        access = f"--kubeconfig={self.state.kubeconfig}"
        commands.output([self.programs / "kubectl", access, *words], stdin=stdin)


def _free_port(wanted: int) -> int:
    """The wanted port of the host's loopback; another one when a program holds it."""
    for port in (wanted, 0):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)) as trial:
            found: int = trial.getsockname()[1]
            return found
    raise Failure("no free TCP port on 127.0.0.1")
