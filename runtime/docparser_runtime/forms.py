"""Reads `multipart/form-data`: one document in `file`, short text in other fields."""

from dataclasses import dataclass, field
from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from docparser_runtime.body import Body
from docparser_runtime.errors import EmptyDocument, InvalidRequest

FILE_FIELD: Final = "file"
_MOST_PARTS: Final = 8
_LONGEST_FIELD_BYTES: Final = 8192
_PLAIN_ENCODINGS: Final = (b"", b"7bit", b"8bit", b"binary")


@dataclass
class Form:
    """What a form held."""

    document: bytes
    fields: dict[str, str]


async def read(body: Body, content_type: str) -> Form:
    """Return the form that `body` holds.

    Raises:
        InvalidRequest: it is malformed, or has more parts than any of ours.
        EmptyDocument: it has no document.
    """
    collector = _Collector()
    try:
        parser = _parser(collector, content_type)
        await body.read_into(parser.write)
        parser.finalize()
    except FormParserError:
        raise InvalidRequest("The body is not well-formed multipart/form-data.") from None
    return collector.form()


def _parser(collector: "_Collector", content_type: str) -> MultipartParser:
    _, parameters = parse_options_header(content_type)
    boundary = parameters.get(b"boundary")
    if not boundary:
        raise InvalidRequest("Content-Type names no boundary.")
    return MultipartParser(
        boundary,
        {
            "on_part_begin": collector.begin_part,
            "on_header_field": collector.header_name,
            "on_header_value": collector.header_value,
            "on_header_end": collector.end_header,
            "on_headers_finished": collector.end_headers,
            "on_part_data": collector.data,
            "on_part_end": collector.end_part,
            "on_end": collector.end,
        },
    )


@dataclass
class _Collector:
    """Takes the parser's events and keeps the parts."""

    parts: dict[str, bytearray] = field(default_factory=dict)
    headers: dict[bytes, bytes] = field(default_factory=dict)
    header: tuple[bytes, bytes] = (b"", b"")
    name: str = ""
    count: int = 0
    complete: bool = False

    def begin_part(self) -> None:
        self.count += 1
        if self.count > _MOST_PARTS:
            raise InvalidRequest(f"The form has more than {_MOST_PARTS} parts.")
        self.headers, self.header = {}, (b"", b"")

    def header_name(self, data: bytes, start: int, end: int) -> None:
        self.header = (self.header[0] + data[start:end], self.header[1])

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self.header = (self.header[0], self.header[1] + data[start:end])

    def end_header(self) -> None:
        name, value = self.header
        self.headers[name.lower()] = value
        self.header = (b"", b"")

    def end_headers(self) -> None:
        _, options = parse_options_header(self.headers.get(b"content-disposition"))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        if not name:
            raise InvalidRequest("A part of the form has no name.")
        if name in self.parts:
            raise InvalidRequest("A field of the form occurs twice.")
        if name == FILE_FIELD and b"filename" not in options:
            raise InvalidRequest(f"The part {FILE_FIELD} has no filename.")
        if self.headers.get(b"content-transfer-encoding", b"").lower() not in _PLAIN_ENCODINGS:
            raise InvalidRequest("A part of the form has a Content-Transfer-Encoding.")
        self.name = name
        self.parts[name] = bytearray()

    def data(self, data: bytes, start: int, end: int) -> None:
        part = self.parts[self.name]
        part += memoryview(data)[start:end]
        if self.name != FILE_FIELD and len(part) > _LONGEST_FIELD_BYTES:
            raise InvalidRequest(f"A field is longer than {_LONGEST_FIELD_BYTES} bytes.")

    def end_part(self) -> None:
        self.name = ""

    def end(self) -> None:
        self.complete = True

    def form(self) -> Form:
        if not self.count:
            raise EmptyDocument(f"The form has no part {FILE_FIELD}.")
        if not self.complete:
            raise InvalidRequest("The form ends too early.")
        document = self.parts.pop(FILE_FIELD, bytearray())
        try:
            fields = {name: value.decode() for name, value in self.parts.items()}
        except UnicodeDecodeError:
            raise InvalidRequest("A field of the form is not UTF-8.") from None
        return Form(bytes(document), fields)
