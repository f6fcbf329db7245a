"""A Secret as the kubelet mounts it: links to links, all swapped at once."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class MountedSecret:
    """Files in `folder` whose content can be replaced as a whole."""

    folder: Path
    _version: int = 0

    def put(self, **files: str) -> None:
        """Let the Secret hold `files`; two underscores in a name stand for a dot."""
        self._version += 1
        version = f"..version-{self._version}"
        (self.folder / version).mkdir(parents=True)
        for name, content in files.items():
            real = name.replace("__", ".")
            (self.folder / version / real).write_text(content)
            if not (self.folder / real).is_symlink():
                (self.folder / real).symlink_to(f"..data/{real}")
        link = self.folder / "..data_tmp"
        link.symlink_to(version)
        link.rename(self.folder / "..data")
