"""The arguments that several commands share."""

import re
from typing import Annotated, Final

import typer

from docparser_kubectl.console import Output
from docparser_kubectl.subject import named

LONGEST_NAMESPACE: Final = 63
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def _name(text: str) -> str:
    try:
        return named(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _namespace(text: str) -> str:
    if len(text) > LONGEST_NAMESPACE or not _LABEL.fullmatch(text):
        raise typer.BadParameter(f"{text!r} is no name of a namespace")
    return text


_HELP: Final = "DocParserDeployment, as NAME or dpd/NAME."
Name = Annotated[str, typer.Argument(metavar="NAME", parser=_name, help=_HELP)]
NameOrNone = Annotated[str | None, typer.Argument(metavar="NAME", parser=_name, help=_HELP)]
Namespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        "-n",
        metavar="TEXT",
        parser=_namespace,
        help="Namespace. Default: that of the context.",
    ),
]
Context = Annotated[
    str | None, typer.Option("--context", help="Context of the kubeconfig. Default: the current.")
]
Format = Annotated[Output, typer.Option("--output", "-o", help="How the result is printed.")]
