"""The program `kubectl-docparser`, which kubectl runs as `kubectl docparser`."""

import sys

import typer

from docparser_kubectl import looking, planning, steering
from docparser_kubectl.console import complain
from docparser_kubectl.errors import Failure
from docparser_kubectl.replay.command import simulate

app = typer.Typer(
    name="kubectl docparser",
    help="Look at rollouts of DocParserDeployments, plan them and steer them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("status")(looking.status)
app.command("history")(looking.show_history)
app.command("diff")(looking.diff)
app.command("plan")(planning.plan)
app.command("simulate")(simulate)
app.command("promote")(steering.promote)
app.command("pause")(steering.pause)
app.command("resume")(steering.resume)
app.command("abort")(steering.abort)
app.command("retry")(steering.retry)
app.command("rollback")(steering.rollback)


def main() -> None:
    """Run the command; a failure is one line on standard error and exit code 1."""
    try:
        app()
    except Failure as failure:
        complain(str(failure))
        sys.exit(1)


if __name__ == "__main__":
    main()
