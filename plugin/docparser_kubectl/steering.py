"""The commands that steer a rollout. Each writes annotations and does not wait."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Final

import typer
from docparser_api import names
from docparser_operator.clock import timestamp, utc_now

from docparser_kubectl import edits
from docparser_kubectl.cluster import connect
from docparser_kubectl.console import console
from docparser_kubectl.edits import Edit
from docparser_kubectl.errors import Failure, Refused
from docparser_kubectl.options import Context, Name, Namespace
from docparser_kubectl.subject import Subject, load

ATTEMPTS: Final = 5
"""How often the decision is taken anew because the object has just changed."""


def promote(
    name: Name,
    *,
    full: Annotated[bool, typer.Option(help="Skip all steps that are left.")] = False,
    namespace: Namespace = None,
    context: Context = None,
) -> None:
    """End the wait at the current step of the rollout."""
    _write(name, namespace, context, lambda subject: edits.promote(subject, full=full))


def pause(name: Name, *, namespace: Namespace = None, context: Context = None) -> None:
    """Stop the rollout before its next step."""
    _write(name, namespace, context, lambda _: edits.pause())


def resume(name: Name, *, namespace: Namespace = None, context: Context = None) -> None:
    """Take a pause back."""
    _write(name, namespace, context, edits.resume)


def abort(name: Name, *, namespace: Namespace = None, context: Context = None) -> None:
    """Give the rollout up; the serving revision goes on serving."""
    _write(name, namespace, context, edits.abort)


def retry(name: Name, *, namespace: Namespace = None, context: Context = None) -> None:
    """Try a revision again that failed or was aborted."""
    now = timestamp(utc_now())
    _write(name, namespace, context, lambda subject: edits.retry(subject, now))


def rollback(
    name: Name,
    *,
    to: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Number, hash or its beginning, or resourceVersion:N."),
    ] = None,
    end: Annotated[bool, typer.Option("--end", help="Let spec rule again.")] = False,
    reason: Annotated[str | None, typer.Option(help="Remark that is kept with it.")] = None,
    namespace: Namespace = None,
    context: Context = None,
) -> None:
    """Bring an earlier revision back, whatever spec asks for, or end that."""
    if (to is None) != end:
        raise typer.BadParameter("give either --to REV or --end")
    if to is None:
        _write(name, namespace, context, edits.end_rollback)
        return
    now = timestamp(utc_now())
    _write(name, namespace, context, lambda subject: edits.rollback(subject, to, reason, now))


def _write(
    name: str, namespace: str | None, context: str | None, decide: Callable[[Subject], Edit]
) -> None:
    """Write what `decide` returns for the object as it is, and say so."""
    cluster = connect(context, namespace)
    user = cluster.user()
    for _ in range(ATTEMPTS):
        subject = load(cluster, name)
        edit = edits.signed(decide(subject), subject, user, timestamp(utc_now()))
        try:
            cluster.annotate(name, subject.metadata.resource_version, edit.values)
        except Refused as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            continue
        same = edits.kubectl_equivalent(edit, name, cluster.namespace, context)
        output = console()
        output.print(f"{names.SHORT_NAME}/{name}: {edit.meaning}", soft_wrap=True)
        output.print(f"same as: {same}", soft_wrap=True)
        return
    raise Failure(f"{names.SHORT_NAME}/{name} changes all the time; try again")
