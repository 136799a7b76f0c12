"""Reading the fields of a host's JSON: unknown ones are ignored, used ones must be right."""

from __future__ import annotations

import json
from typing import Any

from gitmail.errors import InvalidInput

MAX_INPUT_BYTES = 64 * 1024 * 1024
MAX_FIELD_CHARACTERS = 4096


def malformed(host: str, problem: str) -> InvalidInput:
    """Return the error for input that cannot be used; the caller raises it."""
    return InvalidInput("invalid_hook_input", f"The hook input of {host} {problem}.", host=host)


def read_object(host: str, data: bytes) -> dict[str, Any]:
    """Return the JSON object in `data` (UTF-8, a BOM is allowed).

    Raises InvalidInput when it is not one JSON object of at most 64 MiB.
    """
    if len(data) > MAX_INPUT_BYTES:
        raise malformed(host, "is larger than 64 MiB")
    try:
        payload = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise malformed(host, "is not JSON") from error
    if not isinstance(payload, dict):
        raise malformed(host, "is not a JSON object")
    return payload


def text_field(host: str, payload: dict[str, Any], *names: str) -> str:
    """Return the first of `names` that is present and not null, "" when none is.

    Raises InvalidInput when it is not a string, is overlong, or holds control characters.
    """
    for name in names:
        value = payload.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise malformed(host, f"has a {name} that is not a string")
        if len(value) > MAX_FIELD_CHARACTERS or any(character < " " for character in value):
            raise malformed(host, f"has a {name} that is too long or holds control characters")
        return value
    return ""


def session_field(host: str, payload: dict[str, Any], *names: str) -> str:
    """Return the session's id from the first of `names`; raises InvalidInput without one."""
    session_id = text_field(host, payload, *names)
    if not session_id:
        raise malformed(host, f"has no {names[0]}")
    return session_id


def flag_field(host: str, payload: dict[str, Any], name: str) -> bool:
    """Return a true-or-false field, False when absent or null; raises InvalidInput otherwise."""
    value = payload.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise malformed(host, f"has a {name} that is neither true nor false")
    return value


def count_field(host: str, payload: dict[str, Any], name: str) -> int:
    """Return a whole number of 0 or more, 0 when absent or null; raises InvalidInput otherwise."""
    value = payload.get(name)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise malformed(host, f"has a {name} that is not a whole number")
    return value


def expect_event(host: str, payload: dict[str, Any], expected: str, *names: str) -> None:
    """Check that the host's own event name, when it gives one, is the `expected` one.

    A hook wired to the wrong event would otherwise answer in the form of another event. Letter
    case is not compared: hosts that read each other's files differ in it.
    """
    given = text_field(host, payload, *names)
    if given and given.casefold() != expected.casefold():
        raise malformed(host, f"is about {given!r}, not {expected!r}")


def as_json(value: dict[str, Any]) -> str:
    """Return one line of ASCII JSON with its line feed: safe whatever the stream's encoding."""
    return json.dumps(value) + "\n"
