"""How a header is written: one line a key, quoted only where plain YAML would be misread.

"Misread" is judged by every common reader, not by ours: `no`, `007`, `1.10` and dates are quoted,
so that PyYAML, a YAML 1.2 parser or a JavaScript one all see the text. Times that gitmail sets
are times in each of them and stay plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from gitmail.format.frame import FENCE
from gitmail.values.times import format_time

Writable = str | bool | int | datetime | Iterable[str] | Mapping[str, str]
"""What a header can be given; a bool, int or datetime is written plain, in its own form."""

_UNPRINTABLE = (
    "\x00-\x1f\x7f-\xa0\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufeff\ufff9-\uffff"
)
_START = r"[^\s!-.:-@\[-`{-~" + _UNPRINTABLE + "]"
_PLAIN = re.compile(
    f"{_START}(?:[^\\s:#{_UNPRINTABLE}]|(?<! )#| (?! )(?=[^ #])|:(?=[^\\s{_UNPRINTABLE}]))*"
)
_FLOW_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/@+-]| (?=[A-Za-z0-9]))*")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
_ESCAPED = re.compile(f'["\\\\{_UNPRINTABLE}]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}

_WORDS = frozenset(
    "y n yes no on off true false null nil none nan inf infinity undefined".split()  # noqa: SIM905
)
_NUMBER = re.compile(
    r"[0-9][0-9_,]*(?::[0-9]+)*(?:\.[0-9_]*)?(?:e[-+]?[0-9_]+)?|0x[0-9a-f_]+|0o[0-7_]+|0b[01_]+",
    re.IGNORECASE,
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")


def dump(values: Iterable[tuple[str, Writable]], text: str) -> bytes:
    """Return a whole file: fences, one line for each of `values` in order, the text.

    An empty text leaves only the header. Raises ValueError for a key or value that no header can
    hold (a lone surrogate).
    """
    lines = "".join(header_line(key, value) for key, value in values)
    body = f"\n{text}\n" if text else ""
    return f"{FENCE}\n{lines}{FENCE}\n{body}".encode()


def header_line(key: str, value: Writable) -> str:
    """Return `key: value` and a line feed."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is not a key gitmail writes")
    return f"{key}: {_value(value)}\n"


def _value(value: Writable) -> str:
    if isinstance(value, str):
        return _scalar(value, _PLAIN)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, Mapping):
        pairs = (f"{_flow(key)}: {_flow(inner)}" for key, inner in value.items())
        return "{" + ", ".join(pairs) + "}"
    return "[" + ", ".join(_flow(item) for item in value) + "]"


def _flow(text: str) -> str:
    return _scalar(text, _FLOW_PLAIN)


def _scalar(text: str, plain: re.Pattern[str]) -> str:
    if plain.fullmatch(text) and not _means_something_else(text):
        return text
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _means_something_else(text: str) -> bool:
    """Tell whether some YAML reader takes the plain `text` for a number, date, boolean or null."""
    if text[0].isdigit():
        return _NUMBER.fullmatch(text) is not None or _DATE.match(text) is not None
    return text.lower() in _WORDS


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    short = _SHORT.get(character)
    if short is not None:
        return short
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("a lone surrogate cannot be written")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
