"""The cluster as a kind node, where a Docker engine runs."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from localcluster import commands, components
from localcluster.console import Failure, say
from localcluster.paths import State

CLUSTER = "docparser"
NODE = f"{CLUSTER}-control-plane"
CREATE_SECONDS = 900.0

# The audit log as on a local node. Each patch is for one version of kubeadm's configuration
# (arguments are a map in the older one, a list in the newer); kind applies the one that fits.
CONFIG = """\
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
- role: control-plane
  extraMounts:
  - {{hostPath: "{folder}", containerPath: /etc/kubernetes/audit}}
  kubeadmConfigPatches:
  - |
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: ClusterConfiguration
    apiServer:
      extraArgs:
        audit-policy-file: /etc/kubernetes/audit/policy.yaml
        audit-log-path: /etc/kubernetes/audit/audit.log
      extraVolumes:
      - {{name: audit, hostPath: /etc/kubernetes/audit, mountPath: /etc/kubernetes/audit}}
  - |
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: ClusterConfiguration
    apiServer:
      extraArgs:
      - {{name: audit-policy-file, value: /etc/kubernetes/audit/policy.yaml}}
      - {{name: audit-log-path, value: /etc/kubernetes/audit/audit.log}}
      extraVolumes:
      - {{name: audit, hostPath: /etc/kubernetes/audit, mountPath: /etc/kubernetes/audit}}
"""


def usable() -> bool:
    """Whether kind is installed and a Docker engine answers, not just the docker program."""
    return bool(shutil.which("kind")) and commands.succeeds(["docker", "info"])


@dataclass(frozen=True)
class KindCluster:
    """One kind cluster of a fixed name."""

    state: State

    def up(self) -> None:
        """Create the cluster unless it is there; write its kubeconfig either way."""
        if self.running():
            # One whose creation was interrupted has no kubeconfig to export.
            if commands.succeeds(self._exporting, CREATE_SECONDS):
                say("the kind cluster is already there")
                return
            say("replacing a half-made kind cluster")
            self.down()
        self._audit.mkdir(parents=True, exist_ok=True)
        (self._audit / "policy.yaml").write_text(components.AUDIT_POLICY)
        config = self.state.root / "kind.yaml"
        config.write_text(CONFIG.format(folder=self._audit))
        say("creating a kind cluster (the first time it downloads its node image)")
        where: commands.Argv = ["--kubeconfig", self.state.kubeconfig, "--config", config]
        commands.output(
            ["kind", "create", "cluster", "--name", CLUSTER, *where, "--wait", "180s"],
            deadline_seconds=CREATE_SECONDS,
        )
        commands.output(self._exporting)
        self.state.kubeconfig.chmod(0o600)
        say("the cluster is ready")

    def down(self) -> None:
        """Delete the cluster and what was written for it."""
        where: commands.Argv = ["--kubeconfig", self.state.kubeconfig]
        commands.output(["kind", "delete", "cluster", "--name", CLUSTER, *where])
        shutil.rmtree(self.state.root, ignore_errors=True)

    def running(self) -> bool:
        """Whether kind knows the cluster."""
        return CLUSTER in commands.output(["kind", "get", "clusters"]).split()

    def status(self) -> list[str]:
        """What there is, for people."""
        if not self.running():
            return ["kind cluster: none"]
        return [
            f"kind cluster: {CLUSTER}, node container {NODE}",
            f"kubeconfig: {self.state.kubeconfig}",
            f"audit log: {self._audit / 'audit.log'}",
        ]

    def load(self, archives: Sequence[Path]) -> None:
        """Make the images of the archives known to the node."""
        if not self.running():
            raise Failure("no cluster is running; start one: localcluster up")
        for archive in archives:
            say(f"loading {archive.name}")
            words: commands.Argv = ["kind", "load", "image-archive", archive, "--name", CLUSTER]
            commands.output(words)

    @property
    def _audit(self) -> Path:
        return self.state.root / "audit"

    @property
    def _exporting(self) -> commands.Argv:
        where: commands.Argv = ["--kubeconfig", self.state.kubeconfig]
        return ["kind", "export", "kubeconfig", *where, "--name", CLUSTER]
