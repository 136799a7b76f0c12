"""Reading a file: its header's values as written, and its text, byte for byte.

Two readers give one answer. Headers as gitmail writes them (one `key: value` line each) are read
by one regular expression; everything else goes through python-frontmatter's interface to the
strict YAML reader. A property test holds the two equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from gitmail.errors import BrokenFile
from gitmail.format.frame import HEADER_LIMIT, Frame, find_frame
from gitmail.format.problem import HeaderProblem, HeaderValue

_BAD = "\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_START = r"[^\s!-.:-@\[-`{-~" + _BAD + "]"
_REST = f"(?:[^\\s:#{_BAD}]++|(?<! )#| (?=[^ #\\n])|:(?=[^\\s{_BAD}]))*+"
_QUOTED = rf'"(?:[^"\\{_BAD}]++|\\["\\nrt]|\\x[0-9a-f]{{2}}|\\u[0-9a-ce-f][0-9a-f]{{3}})*+"'
_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9._/@+-]| (?=[A-Za-z0-9]))*"
_ITEM = f"(?:{_WORD}|{_QUOTED})"
_PAIR = f"{_ITEM}: {_ITEM}"
_ITEMS = re.compile(f"({_WORD})|({_QUOTED})")
_ESCAPE = re.compile(r'\\(?:(["\\nrt])|x([0-9a-f]{2})|u([0-9a-f]{4}))')
_SHORT = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Header:
    """A file taken apart: `values` keep the order and the very characters of the file."""

    values: dict[str, HeaderValue]
    text: str


def split(data: bytes, file: str) -> tuple[str, Frame]:
    """Return the whole file as text, and where header and text lie in it.

    Raises BrokenFile, also for bytes that are not UTF-8.
    """
    whole = decode(data, file)
    try:
        return whole, find_frame(whole)
    except HeaderProblem as problem:
        raise broken(file, problem) from None


def load(data: bytes, file: str) -> Header:
    """Read a file's header and text (docs/format.md).

    Raises BrokenFile naming `file` and the line for anything the format does not allow.
    """
    whole = decode(data, file)
    return _load_canonical(whole) or _load_strictly(whole, file)


def load_strictly(data: bytes, file: str) -> Header:
    """Do what load does, always by the YAML reader: the measure of the fast one."""
    return _load_strictly(decode(data, file), file)


def decode(data: bytes, file: str) -> str:
    """Return the bytes of a file as text; raises BrokenFile naming the line that is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BrokenFile(file, "not valid UTF-8", line) from None


def broken(file: str, problem: HeaderProblem) -> BrokenFile:
    """Return the error of a file for a problem inside its header (whose line 1 is the second)."""
    line = None if problem.line is None else problem.line + 1
    return BrokenFile(file, problem.problem, line)


def _load_strictly(whole: str, file: str) -> Header:
    from gitmail.format.handler import HeaderHandler

    handler = HeaderHandler()
    try:
        head, text = handler.split(whole)
        return Header(handler.load(head), text)
    except HeaderProblem as problem:
        raise broken(file, problem) from None


@cache
def _line_pattern() -> re.Pattern[str]:
    """Compiled at the first file read: it costs some milliseconds that hooks need not pay."""
    return re.compile(
        f"([a-z][a-z0-9_]{{0,63}}): (?:({_START}{_REST})|({_QUOTED})"
        rf"|\[((?:{_ITEM}(?:, {_ITEM})*)?)\]|(\{{(?:{_PAIR}(?:, {_PAIR})*)?\}}))\n|([\s\S])"
    )


def _load_canonical(whole: str) -> Header | None:
    """Read a file as gitmail writes it; None for any other, which then is read strictly."""
    if not whole.startswith("---\n"):
        return None
    end = whole.find("\n---\n", 3)
    if end < 0 or end > HEADER_LIMIT // 4:
        return None
    values: dict[str, HeaderValue] = {}
    count = 0
    for key, plain, quoted, items, pairs, other in _line_pattern().findall(whole, 4, end + 1):
        if other:
            return None
        count += 1
        if plain:
            values[key] = plain
        elif quoted:
            values[key] = _unquote(quoted)
        elif pairs:
            flat = _items(pairs)
            inner = dict(zip(flat[::2], flat[1::2], strict=True))
            if 2 * len(inner) != len(flat):
                return None
            values[key] = inner
        else:
            values[key] = _items(items)
    if len(values) != count:
        return None
    return Header(values, _text(whole, end + 5))


def _text(whole: str, start: int) -> str:
    if whole.startswith("\n", start):
        start += 1
    elif whole.startswith("\r\n", start):
        start += 2
    return whole[start:-1] if len(whole) > start and whole.endswith("\n") else whole[start:]


def _items(inner: str) -> list[str]:
    return [word or _unquote(quoted) for word, quoted in _ITEMS.findall(inner)]


def _unquote(quoted: str) -> str:
    inner = quoted[1:-1]
    return _ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def _unescape(match: re.Match[str]) -> str:
    short, two, four = match.groups()
    return _SHORT[short] if short else chr(int(two or four, 16))
