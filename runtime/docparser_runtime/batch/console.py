"""What the command tells people. Imports nothing heavy."""

from typing import Final, NoReturn

import typer

from docparser_runtime import farewell

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_LOAD_FAILED: Final = 3
EXIT_INTERRUPTED: Final = 130
STDIN: Final = "-"


def stop(message: str, code: int) -> NoReturn:
    """Tell why the command ends, and end it."""
    tell(message)
    raise typer.Exit(code)


def tell(message: str) -> None:
    """Write a line to standard error."""
    typer.echo(f"docparser-runtime: {shown(message)}", err=True)


def shown(text: str) -> str:
    """Return `text` as one line without anything that a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in farewell.one_line(text))
