"""The interface as one HTML page, made from the OpenAPI document, without script or network."""

import json
from html import escape
from typing import Any, Final

from docparser_runtime.examples import BODIES

HEADERS: Final = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font-family: ui-monospace, monospace; background: #8882; border-radius: .25rem }
code { padding: 0 .25rem } pre { padding: .75rem; overflow-x: auto }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid #8886; padding: .25rem .75rem .25rem 0; text-align: left;
         vertical-align: top }
"""
_EXAMPLES: Final = """\
curl -F file=@document.pdf http://localhost:8080/v1/document/parse
curl -F file=@document.pdf -H 'Accept: text/markdown' http://localhost:8080/v1/document/parse
curl -H 'Content-Type: image/png' --data-binary @page.png http://localhost:8080/v1/document/parse
"""


def render(openapi: dict[str, Any]) -> str:
    """Return the page for `openapi`."""
    title = escape(openapi["info"]["title"])
    operations = "".join(
        _operation(method, path, operation)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    )
    schemas = "".join(
        _schema(name, schema)
        for name, schema in openapi["components"]["schemas"].items()
        if "properties" in schema
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
        f"<style>{_STYLE}</style><h1>{title} {escape(openapi['info']['version'])}</h1>"
        f"<p>{escape(openapi['info'].get('description', ''))} "
        "The same for programs: <a href=/openapi.json>/openapi.json</a>.</p>"
        f"<pre>{escape(_EXAMPLES)}</pre>{operations}<h2>Objects</h2>{schemas}"
    )


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    answers = "".join(
        f"<tr><td>{escape(status)}<td>{_text(answer['description'])}"
        for status, answer in operation["responses"].items()
    )
    bodies = operation.get("requestBody", {}).get("content", {})
    takes = ", ".join(f"<code>{escape(kind)}</code>" for kind in bodies)
    fields = "".join(
        _schema(kind, content["schema"])
        for kind, content in bodies.items()
        if "properties" in content["schema"]
    )
    return (
        f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
        f"<p>{_text(operation.get('description', ''))}</p>"
        + (f"<p>Takes {takes}.</p>{fields}" if takes else "")
        + f"<table><tr><th>Status<th>Meaning{answers}</table>"
    )


def _schema(name: str, schema: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code><td>{_type(value)}"
        f"<td>{_text(value.get('description', ''))}"
        for field, value in schema["properties"].items()
    )
    return (
        f"<h3>{escape(name)}</h3><p>{_text(schema.get('description', ''))}</p>"
        f"<table><tr><th>Field<th>Type<th>Meaning{rows}</table>{_example(schema)}"
    )


def _example(schema: dict[str, Any]) -> str:
    found = BODIES.get(schema.get("title", ""))
    if found is None:
        return ""
    text = json.dumps(found, indent=2, ensure_ascii=False)
    return f"<details><summary>Example</summary><pre>{escape(text)}</pre></details>"


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if "$ref" in schema:
        return escape(schema["$ref"].rpartition("/")[2])
    inner = f" of {_type(schema['items'])}" if "items" in schema else ""
    return escape(str(schema.get("type", "any"))) + inner


def _text(text: str) -> str:
    return escape(text).replace("\n\n", "<br>")
