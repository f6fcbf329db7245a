"""Where weights and what belongs to them lie in a pod."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from docparser_api import names
from docparser_api.weights import Weights

from docparser_runtime.weights.errors import Code, WeightsError


@dataclass(frozen=True)
class Places:
    """The mounts of a pod.

    Attributes:
        cache: holds one directory for each version of fetched weights.
        source: a volume or an image that holds weights already.
        check: where it is noted that weights were verified, for this pod alone.
        manifest: the manifest, where a ConfigMap holds it.
    """

    cache: Path = Path(names.WEIGHTS_CACHE)
    source: Path = Path(names.WEIGHTS_SOURCE)
    check: Path = Path(names.WEIGHTS_CHECK)
    manifest: Path = Path(names.WEIGHTS_MANIFEST)

    def root(self, weights: Weights) -> Path:
        """Return the directory in which the files of `weights` lie when they are ready.

        Raises:
            WeightsError: the path of the source leads out of its volume.
        """
        if weights.is_fetched:
            return self.cache / weights.directory
        origin = weights.source.persistent_volume_claim or weights.source.image
        path = origin.path if origin else ""
        root = (self.source / path).resolve()
        if not root.is_relative_to(self.source.resolve()):
            raise WeightsError(Code.CONFIGURATION_INVALID, path, "leads out of the volume")
        return root

    def partial(self, directory: str) -> Path:
        """Return where the files of `directory` lie until all are verified."""
        return self.cache / f".{directory}.partial"

    def lock(self, directory: str) -> Path:
        """Return the file whose lock gives the right to change `directory`."""
        return self.cache / f".{directory}.lock"

    def untrusted(self, directory: str) -> Path:
        """Return where a `directory` goes that nobody vouches for, until its files were read."""
        return self.cache / f".{directory}.untrusted"


IN_A_POD: Final = Places()
"""The mounts that the operator makes."""
