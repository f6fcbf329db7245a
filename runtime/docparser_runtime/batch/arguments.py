"""The arguments and options of `parse`, and what they mean for a request."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, get_args

import typer

from docparser_runtime.batch.console import EXIT_USAGE, stop
from docparser_runtime.result_forms import Form

if TYPE_CHECKING:
    from docparser_runtime.schemas import Options

Priority = Literal["low", "normal", "high"]
Tables = Literal["markdown", "html"]
HeadersFooters = Literal["keep", "drop"]
Tier = Literal["low", "medium", "high", "auto"]
BOTH: Final = "both"
_FORMS: Final[tuple[Form, ...]] = get_args(Form)
_MOST_PARALLEL: Final = 64

Documents = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|DIR|URL...",
        help="Documents to read; - reads standard input. With --server, all documents below a "
        "directory, and what lies at http(s) URLs: this command downloads it, the service does "
        "not.",
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Service that reads, as tasks if it keeps any. Default: this process."
    ),
]
TokenFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File with the bearer token of the service.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Directory of outputs, a tree like that of the documents. What lies there and is "
        "whole is not read again.",
    ),
]
Forms = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORM[,FORM...]",
        help=f"What is written: {', '.join(_FORMS)}; pdf is the document with its text in it. "
        f"{BOTH} means markdown,json. Default: markdown.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Pages = Annotated[
    str | None,
    typer.Option(metavar="RANGE", help="Pages to read, from 1, such as 1-3,7,10-. Default: all."),
]
TableForm = Annotated[Tables | None, typer.Option(help="How tables are written in texts.")]
Furniture = Annotated[
    HeadersFooters | None,
    typer.Option(help="What becomes of running headers, footers and page numbers in texts."),
]
MostTokens = Annotated[
    int | None,
    typer.Option(metavar="NUMBER", help="Most tokens per page, for engines that generate.", min=1),
]
Closeness = Annotated[
    Tier | None, typer.Option("--tier", help="How closely the engine looks at pages.")
]
Parallel = Annotated[
    int | None,
    typer.Option(help="Documents at the same time. Default: 4.", min=1, max=_MOST_PARALLEL),
]
First = Annotated[Priority | None, typer.Option("--priority", help="Who comes first.")]
PasswordStdin = Annotated[
    bool,
    typer.Option("--password-stdin", help="Take the documents' password from standard input."),
]
Engine = Annotated[str | None, typer.Option(help="Engine of this process, such as rapidocr.")]


@dataclass(frozen=True)
class Reading:
    """How documents are to be read; None leaves it to the default."""

    pages: str | None = None
    tables: Tables | None = None
    headers_footers: HeadersFooters | None = None
    max_new_tokens: int | None = None
    tier: Tier | None = None
    password: str | None = field(default=None, repr=False)

    def options(self) -> "Options":
        """Return the options of a request, or end the command if they are none."""
        from pydantic import ValidationError  # noqa: PLC0415

        from docparser_runtime import page_ranges  # noqa: PLC0415
        from docparser_runtime.errors import InvalidRequest  # noqa: PLC0415
        from docparser_runtime.schemas import Options  # noqa: PLC0415

        named = {
            "page_range": self.pages,
            "tables": self.tables,
            "headers_footers": self.headers_footers,
            "max_new_tokens": self.max_new_tokens,
            "tier": self.tier,
            "password": self.password,
        }
        try:
            if self.pages is not None:
                page_ranges.parse(self.pages)
            given = {name: value for name, value in named.items() if value is not None}
            return Options.model_validate(given)
        except InvalidRequest as error:
            stop(f"--pages: {error.detail}", EXIT_USAGE)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
            stop(f"{fault['loc'][0]}: {fault['msg']}", EXIT_USAGE)


def forms(text: str | None, *, as_json: bool) -> tuple[Form, ...]:
    """Return the forms that are asked for, each once, or end the command if there are none such."""
    if as_json and text not in (None, "json"):
        stop("--json and --format contradict each other", EXIT_USAGE)
    meant = "json" if as_json else "markdown" if text is None else text
    names = meant.replace(BOTH, "markdown,json").split(",")
    found = tuple(form for form in _FORMS if form in names)
    if not set(names) <= set(_FORMS):
        stop(f"--format: name some of {', '.join(_FORMS)}, with commas between them", EXIT_USAGE)
    return found
