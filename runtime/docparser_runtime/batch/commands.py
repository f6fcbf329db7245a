"""The command `parse`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from docparser_runtime.batch import arguments
from docparser_runtime.batch.arguments import Reading
from docparser_runtime.batch.console import EXIT_FAILED, EXIT_USAGE, STDIN, stop
from docparser_runtime.result_forms import Form


def parse(  # noqa: PLR0913 (the options of a command)
    documents: arguments.Documents,
    *,
    server: arguments.Server = None,
    token_file: arguments.TokenFile = None,
    output: arguments.Output = None,
    form: arguments.Forms = None,
    as_json: arguments.AsJson = False,
    pages: arguments.Pages = None,
    tables: arguments.TableForm = None,
    headers_footers: arguments.Furniture = None,
    max_new_tokens: arguments.MostTokens = None,
    tier: arguments.Closeness = None,
    parallel: arguments.Parallel = None,
    priority: arguments.First = None,
    password_stdin: arguments.PasswordStdin = False,
    engine: arguments.Engine = None,
) -> None:
    """Read documents and print what they say, or write it below a directory."""
    forms = arguments.forms(form, as_json=as_json)
    remote_only: dict[str, object] = {
        "--token-file": token_file,
        "--output": output,
        "--parallel": parallel,
        "--priority": priority,
        "--format pdf": "pdf" in forms or None,
    }
    _check(server, documents, remote_only, engine)
    _check_forms(forms, documents, output)
    password = _password(documents) if password_stdin else None
    reading = Reading(pages, tables, headers_footers, max_new_tokens, tier, password)
    if server is None:
        from docparser_runtime.batch import local  # noqa: PLC0415

        local.parse(documents[0], reading.options(), engine, forms[0])
        return
    from docparser_runtime.batch import remote  # noqa: PLC0415
    from docparser_runtime.batch.reading import Wishes  # noqa: PLC0415

    wishes, token = Wishes(reading.options(), priority), token_in(token_file)
    remote.parse(remote.Order(documents, server, token, output, forms, parallel or 4, wishes))


def _check(
    server: str | None,
    documents: Sequence[str],
    remote_only: dict[str, object],
    engine: str | None,
) -> None:
    """Refuse options that would have no effect."""
    given = [name for name, value in remote_only.items() if value is not None]
    if server is None and given:
        stop(f"{', '.join(given)}: only with --server", EXIT_USAGE)
    if server is None and len(documents) > 1:
        stop("several documents are read with --server only", EXIT_USAGE)
    if server is not None and engine is not None:
        stop("--engine: the service has its own; leave it out with --server", EXIT_USAGE)


def _check_forms(forms: Sequence[Form], documents: Sequence[str], output: Path | None) -> None:
    """Refuse forms that have no place, or would be taken for documents the next time."""
    if output is None and len(forms) > 1:
        stop("--format: several forms only with --output", EXIT_USAGE)
    if "pdf" not in forms:
        return
    if output is None and sys.stdout.isatty():
        stop("--format pdf: no terminal shows it; send the output to a file", EXIT_USAGE)
    if output is not None and any(_lies_in(output, place) for place in documents):
        stop("--format pdf: --output must lie outside of the documents' directories", EXIT_USAGE)


def _lies_in(output: Path, place: str) -> bool:
    folder = Path(place)
    return folder.is_dir() and output.resolve().is_relative_to(folder.resolve())


def _password(documents: Sequence[str]) -> str | None:
    if STDIN in documents:
        stop("standard input cannot hold both the document and the password", EXIT_USAGE)
    return sys.stdin.readline().rstrip("\r\n") or None


def token_in(file: Path | None) -> str | None:
    """Return the bearer token in a file, if there is one; end the command if it holds none."""
    if file is None:
        return None
    try:
        token = file.read_text().strip()
    except (OSError, UnicodeDecodeError):
        stop(f"cannot read the token in {file}", EXIT_FAILED)
    if not token or not token.isascii() or not token.isprintable():
        stop(f"{file} holds no token", EXIT_FAILED)
    return token
