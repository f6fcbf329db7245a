"""Starts the operator: `python -m docparser_operator`."""

import asyncio
import os
import sys

from docparser_operator import logs
from docparser_operator.program import main
from docparser_operator.settings import SettingsError, load


def run() -> int:
    """Run until told to stop; return the exit code."""
    try:
        settings = load(os.environ)
    except SettingsError as error:
        print(error, file=sys.stderr)  # noqa: T201 (logs are not set up yet)
        return 2
    logs.configure(settings.log_level)
    asyncio.run(main(settings))
    return 0


if __name__ == "__main__":
    sys.exit(run())
