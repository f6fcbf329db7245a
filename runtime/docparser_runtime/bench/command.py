"""`docparser-bench`: measures the GPU engine and writes what it found as JSON."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

_PARTS = ("steps", "modes", "pages", "agreement", "peer", "reading", "loading")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print progress to stderr, and write the result."""
    parser = argparse.ArgumentParser(prog="docparser-bench", description=__doc__)
    parser.add_argument("--out", type=Path, help="file of the result; default: standard output")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, default=list(_PARTS))
    parser.add_argument("--positions", type=int, default=500, help="of the check of agreement")
    options = parser.parse_args(arguments)
    # Only now: `--help` needs no GPU and no torch.
    from docparser_runtime.bench.parts import measured  # noqa: PLC0415

    result = json.dumps(measured(options.parts, options.positions), indent=2)
    if options.out:
        options.out.write_text(result + "\n")
    else:
        sys.stdout.write(result + "\n")
    return 0
