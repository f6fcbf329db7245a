"""How the API server combines what it has with what it is sent."""

from typing import Any

_ATOMIC = {"selector"}
_KEYED = {"ownerReferences": "uid"}


def patched(value: Any, patch: Any) -> Any:
    """Return `value` after a JSON merge patch."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, wanted in patch.items():
        if wanted is None:
            result.pop(key, None)
        else:
            result[key] = patched(result.get(key), wanted)
    return result


def merged(live: Any, wanted: Any, last: Any, name: str = "") -> Any:
    """Return `live` after server-side apply of `wanted` by the manager that applied `last`.

    Lists without a key are taken as a whole.
    """
    if name in _KEYED and isinstance(live, list):
        mine = {item[_KEYED[name]] for item in wanted} | {i[_KEYED[name]] for i in last or []}
        return [*(item for item in live if item[_KEYED[name]] not in mine), *wanted]
    if name in _ATOMIC or not isinstance(wanted, dict) or not isinstance(live, dict):
        return wanted
    before = last if isinstance(last, dict) else {}
    result = _without(live, {k: v for k, v in before.items() if k not in wanted})
    for key, value in wanted.items():
        result[key] = merged(live.get(key), value, before.get(key), key)
    return result


def _without(live: dict[str, Any], gone: dict[str, Any]) -> dict[str, Any]:
    """Return `live` without the leaves of `gone`, nor objects that are empty because of that."""
    result = {}
    for key, value in live.items():
        if key in gone and isinstance(value, dict) and isinstance(gone[key], dict):
            if rest := _without(value, gone[key]):
                result[key] = rest
        elif key not in gone:
            result[key] = value
    return result
