"""containerd for the node: its own root, state and socket, so that no other one is disturbed."""

import json
from dataclasses import dataclass
from pathlib import Path

from localcluster import archive, commands, mounts
from localcluster.commands import Argv
from localcluster.console import say
from localcluster.paths import State

PAUSE_IMAGE = "docparser.dev/pause:local"
NODE_POD_CIDR = "10.244.0.0/24"

CONFIG = """\
version = 2
root = "{root}/root"
state = "{root}/state"
oom_score = 0
[grpc]
  address = "{root}/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "{root}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  # Without the right to lower a process's oom_score_adj every sandbox would fail.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{cni_bin}"
    conf_dir = "{cni_conf}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "{snapshotter}"
{runtimes}"""

# "nvidia" is an alias, so that pods which ask for that runtime class run on the fake GPUs.
RUNTIME = """\
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.{name}]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.{name}.options]
        SystemdCgroup = false
        Root = "{root}/runc"
"""
RUNTIMES = ("runc", "nvidia")


def pod_network(name: str, addresses: Path) -> str:
    """The CNI configuration of the pods' network."""
    # Point-to-point, not a bridge: all traffic is routed and so meets kube-proxy's rules,
    # also from a pod to itself, whatever the kernel's bridge settings.
    ptp = {
        "type": "ptp",
        "mtu": 1500,
        "ipam": {
            "type": "host-local",
            "dataDir": str(addresses),
            "ranges": [[{"subnet": NODE_POD_CIDR}]],
            "routes": [{"dst": "0.0.0.0/0"}],
        },
    }
    ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    return json.dumps({"cniVersion": "0.4.0", "name": name, "plugins": [ptp, ports]}, indent=1)


@dataclass(frozen=True)
class Containerd:
    """The container runtime of one cluster."""

    state: State

    @property
    def root(self) -> Path:
        """Everything it writes."""
        return self.state.containerd_socket.parent

    def configure(self, cni_bin: Path) -> Path:
        """Write its configuration and the pods' network; return the configuration's path."""
        self.root.mkdir(parents=True, exist_ok=True)
        cni_conf = self.state.config / "cni"
        cni_conf.mkdir(parents=True, exist_ok=True)
        network = pod_network(self.state.name, self.state.root / "pod-addresses")
        (cni_conf / "10-pods.conflist").write_text(network)
        runtimes = "".join(RUNTIME.format(name=name, root=self.root) for name in RUNTIMES)
        target = self.state.config / "containerd.toml"
        target.write_text(
            CONFIG.format(
                root=self.root,
                pause=PAUSE_IMAGE,
                cni_bin=cni_bin,
                cni_conf=cni_conf,
                snapshotter=self._snapshotter,
                runtimes=runtimes,
            )
        )
        return target

    def answers(self) -> bool:
        """Whether it serves."""
        return commands.succeeds(self._ctr("version"), deadline_seconds=5)

    def load(self, image: Path) -> None:
        """Make an archive's image known, unless its references already mean that very image."""
        references, identifier = archive.identity(image)
        before = self._images()
        if all(name in before and self._id(before[name]) == identifier for name in references):
            say(f"{image.name} is already loaded")
            return
        say(f"loading {image.name} ({image.stat().st_size / 1e6:.0f} MB)")
        where = f"--snapshotter={self._snapshotter}"
        commands.output(self._ctr("images", "import", where, image))
        self._drop_nameless({before[name] for name in references if name in before})

    def _images(self) -> dict[str, str]:
        """Manifest digests by reference; the kubelet's side may add an image's id as another."""
        listed = commands.output(self._ctr("images", "list")).splitlines()[1:]
        return {line.split()[0]: line.split()[2] for line in listed}

    def _id(self, manifest_digest: str) -> str:
        """The id of an image that containerd has."""
        manifest = json.loads(commands.output(self._ctr("content", "get", manifest_digest)))
        identifier: str = manifest["config"]["digest"]
        return identifier

    def _drop_nameless(self, replaced: set[str]) -> None:
        """Free the disk of images that lost their last reference to a newer one."""
        images = self._images()
        named = {digest for name, digest in images.items() if not name.startswith("sha256:")}
        for name, digest in images.items():
            if digest in replaced - named:
                commands.output(self._ctr("images", "remove", name))

    def load_pause(self, program: Path) -> None:
        """Make and import the image that holds a pod's namespaces."""
        image = self.root / "pause.tar"
        archive.write_single_program(image, program, PAUSE_IMAGE)
        self.load(image)

    @property
    def _snapshotter(self) -> str:
        # An overlay cannot lie on an overlay (this machine may be a container itself).
        return "native" if mounts.kind(self.root) == "overlay" else "overlayfs"

    def _ctr(self, *words: str | Path) -> Argv:
        return ["ctr", f"--address={self.state.containerd_socket}", "--namespace=k8s.io", *words]
