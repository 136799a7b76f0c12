"""References and expectations of a correspondence, pure.

A path is `key.key.0.key`; a number picks from a list, `*` collects one item from each element.
`$name.path` inside a string stands for a part of what an earlier step saved under `name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_REFERENCE = re.compile(r"\$([a-z][a-z_]*)\.([\w*]+(?:\.[\w*]+)*)")
_MISSING = object()


def names_in(value: Any) -> Iterator[str]:
    """Yield the saved names that a value (any nesting of lists, tables and strings) refers to."""
    if isinstance(value, str):
        yield from (found[1] for found in _REFERENCE.finditer(value))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from names_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from names_in(item)


def pick(value: Any, path: str) -> Any:
    """Return the part of `value` at `path`. Raises LookupError naming the part that is missing."""
    found = _pick(value, path.split("."))
    if found is _MISSING:
        raise LookupError(f"nothing at {path}")
    return found


def resolve(value: Any, saved: Mapping[str, Any]) -> Any:
    """Return `value` with every reference replaced.

    A string that is one reference and nothing else becomes the part itself, with its type.
    Raises LookupError for a name that was not saved or a path that leads nowhere.
    """
    if isinstance(value, str):
        return _resolve_text(value, saved)
    if isinstance(value, Mapping):
        return {key: resolve(item, saved) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(item, saved) for item in value]
    return value


def differences(result: Any, expect: Mapping[str, Any]) -> list[str]:
    """Compare a result with the expected value of each path; one sentence per difference."""
    problems = []
    for path, wanted in expect.items():
        found = _pick(result, path.split("."))
        if found is _MISSING:
            problems.append(f"{path} is missing (expected {wanted!r})")
        elif found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
            problems.append(f"{path} is {found!r} (expected {wanted!r})")
    return problems


def _resolve_text(text: str, saved: Mapping[str, Any]) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole is not None:
        return _saved(whole, saved)
    return _REFERENCE.sub(lambda found: str(_saved(found, saved)), text)


def _saved(found: re.Match[str], saved: Mapping[str, Any]) -> Any:
    if found[1] not in saved:
        raise LookupError(f"{found[0]}: no earlier step saved {found[1]!r}")
    try:
        return pick(saved[found[1]], found[2])
    except LookupError as error:
        raise LookupError(f"{found[0]}: {error}") from error


def _pick(value: Any, parts: list[str]) -> Any:
    if not parts:
        return value
    part, rest = parts[0], parts[1:]
    if part == "*":
        if not isinstance(value, list):
            return _MISSING
        items = [_pick(item, rest) for item in value]
        return _MISSING if any(item is _MISSING for item in items) else items
    if isinstance(value, Mapping):
        return _pick(value[part], rest) if part in value else _MISSING
    if isinstance(value, list) and part.isdigit() and int(part) < len(value):
        return _pick(value[int(part)], rest)
    return _MISSING
