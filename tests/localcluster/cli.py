"""The command line."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from localcluster import backend, build, commands, fakegpu, images, paths
from localcluster.console import Failure, say

PROGRAM = "python3 -m localcluster"
NOT_RUNNING = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; a Failure becomes a message and exit status 1."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        # kubectl's own options (also -h) must reach kubectl untouched.
        if words[:1] == ["kubectl"]:
            return _kubectl(words[1:])
        options = _parser().parse_args(words)
        work: Callable[[argparse.Namespace], int] = options.work
        return work(options)
    except Failure as failure:
        sys.stderr.write(f"localcluster: {failure}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nlocalcluster: interrupted; run the same command again to go on\n")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description="A real Kubernetes on this machine.")
    verbs = parser.add_subparsers(required=True, metavar="COMMAND")

    def verb(
        name: str, work: Callable[[argparse.Namespace], int], text: str
    ) -> argparse.ArgumentParser:
        added = verbs.add_parser(name, help=text, description=text)
        added.set_defaults(work=work)
        return added

    verb("build", _build, "compile the pinned Kubernetes programs into the cache")
    verb("helm", _helm, "compile the pinned Helm into the cache and print its path")
    verb("up", _up, "start the cluster, or reuse the running one")
    verb("down", _down, "stop the cluster and leave nothing behind")
    verb("status", _status, f"say what runs and where its logs are (exit {NOT_RUNNING}: nothing)")
    verb("kubeconfig", _kubeconfig, "print the path of the administrator's kubeconfig")
    verb("kubectl", lambda _: _kubectl([]), "run kubectl on the cluster")
    loading = verb("load", _load, "make image archives known to the node")
    loading.add_argument("archives", nargs="+", type=Path, metavar="ARCHIVE")
    making = verb("images", _images, "build the product's images and load them into the cluster")
    making.add_argument("--sizes", action="store_true", help="print what each adds to its base")
    text = "build what the end-to-end tests run beside the product, and load it"
    verb("test-images", _test_images, text)
    gpus = verb("fake-gpu", _fake_gpu, "let each node offer COUNT nvidia.com/gpu (0: none)")
    gpus.add_argument("count", type=int, metavar="COUNT")
    return parser


def _build(_: argparse.Namespace) -> int:
    sys.stdout.write(f"{build.ensure()}\n")
    return 0


def _helm(_: argparse.Namespace) -> int:
    sys.stdout.write(f"{build.ensure_helm()}\n")
    return 0


def _up(_: argparse.Namespace) -> int:
    backend.chosen().up()
    sys.stdout.write(f"export KUBECONFIG={paths.state().kubeconfig}\n")
    return 0


def _down(_: argparse.Namespace) -> int:
    backend.chosen().down()
    return 0


def _status(_: argparse.Namespace) -> int:
    cluster = backend.chosen()
    sys.stdout.write("\n".join(cluster.status()) + "\n")
    return 0 if cluster.running() else NOT_RUNNING


def _kubeconfig(_: argparse.Namespace) -> int:
    sys.stdout.write(f"{_access()}\n")
    return 0


def _load(options: argparse.Namespace) -> int:
    for archive in options.archives:
        if not archive.is_file():
            raise Failure(f"there is no file {archive}")
    backend.chosen().load(options.archives)
    return 0


def _images(options: argparse.Namespace) -> int:
    built = images.ensure()
    if options.sizes:
        sys.stdout.write(images.sizes(built) + "\n")
    return _loaded(built)


def _test_images(_: argparse.Namespace) -> int:
    return _loaded(images.ensure(images.TEST_IMAGES))


def _loaded(built: list[images.Built]) -> int:
    cluster = backend.chosen()
    if cluster.running():
        cluster.load([one.archive for one in built])
    else:
        say("no cluster is running, so nothing was loaded; `up`, then the same again")
    return 0


def _fake_gpu(options: argparse.Namespace) -> int:
    fakegpu.offer(options.count, _access())
    return 0


def _kubectl(words: list[str]) -> int:
    kubectl = build.ensure(["kubectl"]) / "kubectl"
    return commands.show([kubectl, *words], env={"KUBECONFIG": str(_access())})


def _access() -> Path:
    target = paths.state().kubeconfig
    if not target.exists():
        raise Failure("no cluster is running; start one: localcluster up")
    return target
