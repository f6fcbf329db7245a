"""The commands that only look: status, history, diff."""

from typing import Annotated, Any

import typer
from docparser_api.spec import PodShape
from docparser_operator.revisions import content_of, shape_of

from docparser_kubectl import fields, history, references, status_view, watching
from docparser_kubectl.cluster import connect
from docparser_kubectl.console import Output, console, print_data
from docparser_kubectl.errors import Failure
from docparser_kubectl.options import Context, Format, Name, Namespace
from docparser_kubectl.subject import Subject, load

Revision = Annotated[
    str,
    typer.Argument(
        metavar="REV", help="Number, hash or its beginning, resourceVersion:N, serving or spec."
    ),
]


def status(
    name: Name,
    *,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Follow the rollout until it ends.")
    ] = False,
    timeout: Annotated[
        int, typer.Option(min=1, help="Longest time to follow it, in seconds.")
    ] = 86_400,
    output: Format = Output.TEXT,
    namespace: Namespace = None,
    context: Context = None,
) -> None:
    """Show what serves, what is rolled out, and what it was found to be.

    With --watch the exit code is 0 if the rollout ends well and 1 if it fails.
    """
    if watch and output is not Output.TEXT:
        raise typer.BadParameter("--watch draws on the terminal; leave --output out")
    cluster = connect(context, namespace)
    if watch:
        watching.follow(cluster, name, timeout)
        return
    subject = load(cluster, name)
    if output is Output.TEXT:
        console().print(status_view.render(subject))
    else:
        print_data(status_view.data(subject), output)


def show_history(
    name: Name,
    *,
    output: Format = Output.TEXT,
    namespace: Namespace = None,
    context: Context = None,
) -> None:
    """Show the revisions that are kept, the latest first, and how each rollout ended."""
    subject = load(connect(context, namespace), name)
    if output is Output.TEXT:
        console().print(history.render(subject))
    else:
        print_data(history.data(subject), output)


def diff(
    name: Name,
    old: Revision,
    new: Revision,
    *,
    namespace: Namespace = None,
    context: Context = None,
) -> None:
    """Show in which fields two revisions differ."""
    subject = load(connect(context, namespace), name)
    before, after = (_shape(subject, text) for text in (old, new))
    found = fields.changes(before, after)
    text = fields.render(found) if found else f"{old} and {new} are the same"
    console().print(text, soft_wrap=True)


def _shape(subject: Subject, text: str) -> dict[str, Any]:
    """Return the fields of the revision that `text` means, with their defaults."""
    if text == "spec":
        if subject.spec is None:
            raise Failure("spec holds fields that this program does not know; update it")
        return fields.complete(PodShape, content_of(shape_of(subject.spec)))
    if text == "serving":
        text = subject.status.current_revision or ""
        if not text:
            raise Failure("no revision serves yet")
    return fields.complete(PodShape, references.find(text, subject.observed.revisions).shape)
