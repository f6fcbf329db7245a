"""What may be sent to a terminal."""

from typing import Any, Final

_CONTROLS: Final = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if chr(code) not in "\t\n"
}
"""Control characters: whoever writes a pod's last words could steer the reader's terminal."""


def printable(value: Any) -> Any:
    """Return JSON `value` with the control characters of its texts replaced."""
    if isinstance(value, str):
        return value.translate(_CONTROLS)
    if isinstance(value, dict):
        return {printable(key): printable(item) for key, item in value.items()}
    return [printable(item) for item in value] if isinstance(value, list) else value
