"""One gitignore pattern, read into a small tree of values: the only reader of glob text.

A pattern becomes a sequence of steps over the folders and the name of a path. A step == ANY (any
number of names, also none) or one name pattern: STAR and sets of bytes. As in git, bytes count,
not characters: `?` is one byte. What git would silently never match is refused here instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from gitmail.errors import InvalidInput

PATTERN_LIMIT = 512  # bytes; comparing two patterns costs at most the product of their lengths

Step: TypeAlias = tuple[int, ...]  # the parts of one name: STAR, or a set of bytes as bits 0..255
STAR: Final = 0  # any bytes within a name, also none (no set is empty)
ANY: Final[Step] = ()  # any number of names, also none (no name is empty)

ONE_BYTE: Final = ((1 << 256) - 1) & ~(1 << 0) & ~(1 << ord("/"))
_WHOLE_NAME: Final[Step] = (ONE_BYTE, STAR)
_CLASS = re.compile(r"\[:(\w*):\]")
_POSIX_CLASSES = {
    "alnum": ("09", "AZ", "az"),
    "alpha": ("AZ", "az"),
    "blank": ("  ", "\t\t"),
    "cntrl": ("\x01\x1f", "\x7f\x7f"),
    "digit": ("09",),
    "graph": ("!~",),
    "lower": ("az",),
    "print": (" ~",),
    "punct": ("!/", ":@", "[`", "{~"),
    "space": ("  ", "\t\r"),
    "upper": ("AZ",),
    "xdigit": ("09", "AF", "af"),
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A checked pattern: its text and its steps, of which the last is always ANY.

    The closing ANY is the rule that a pattern which matches a folder covers everything below it.
    """

    text: str
    steps: tuple[Step, ...]


def parse(text: str) -> Pattern:
    """Read one gitignore pattern.

    Raises InvalidInput `invalid_paths` (facts: `path`) for negation, comments, empty or `.` and
    `..` folders, control characters, unclosed brackets, and everything else that can match nothing.
    """
    body = _checked(text)
    folder_only = body.endswith("/")
    anchored = "/" in body[:-1] or body == "/"
    names = body.removeprefix("/").removesuffix("/").split("/")
    steps: list[Step] = [] if anchored else [ANY]
    for name in names:
        _append(steps, _step(name, text))
    if steps[-1] == ANY or folder_only:
        _append(steps, _WHOLE_NAME)
    _append(steps, ANY)
    if steps[:-1] == [ANY, _WHOLE_NAME] and folder_only:
        steps = [_WHOLE_NAME, _WHOLE_NAME, ANY]
    return Pattern(text, tuple(steps))


def folder_steps(folder: bytes) -> tuple[Step, ...]:
    """Return the steps of everything below a folder, whose name is taken byte for byte."""
    names = folder.strip(b"/").split(b"/")
    return (*(tuple(1 << byte for byte in name) for name in names), _WHOLE_NAME, ANY)


def _checked(text: str) -> str:
    """Return the pattern without its trailing blanks; refuse what gives no pattern at all."""
    body = text
    while body.endswith(" ") and not _escaped(body, len(body) - 1):
        body = body[:-1]
    if not body.strip("/ "):
        raise _invalid(text, "is empty", "Name a file, a folder or a pattern such as `src/**`.")
    if body.startswith("!"):
        raise _invalid(text, "is a negation", "Name what you take; `\\!` is the plain character.")
    if body.startswith("#"):
        raise _invalid(text, "reads as a comment", "Write `\\#` for a name that begins with #.")
    if any(not character.isprintable() for character in body):
        raise _invalid(text, "has an unprintable character", "Write `?` in its place.")
    if len(body.encode()) > PATTERN_LIMIT:
        raise _invalid(text, f"is over {PATTERN_LIMIT} bytes", "Reserve a folder above it.")
    return body


def _escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before the character at `at`."""
    before = text[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _append(steps: list[Step], step: Step) -> None:
    """Add a step; two ANY in a row are one."""
    if not (step == ANY and steps and steps[-1] == ANY):
        steps.append(step)


def _step(name: str, text: str) -> Step:
    if len(name) >= 2 and not name.strip("*"):
        return ANY
    if name in ("", ".", ".."):
        raise _invalid(
            text, f"has {name!r} as a folder", "Write it from the project's top, without `./`."
        )
    tokens: list[int] = []
    at = 0
    while at < len(name):
        at = _token(name, at, tokens, text)
    return _WHOLE_NAME if tokens == [STAR] else tuple(tokens)


def _token(name: str, at: int, tokens: list[int], text: str) -> int:
    """Read one element of a name at `at` into `tokens`; return where the next one begins."""
    character = name[at]
    if character == "*":
        if not tokens or tokens[-1] != STAR:
            tokens.append(STAR)
        return at + 1
    if character == "?":
        tokens.append(ONE_BYTE)
        return at + 1
    if character == "[":
        bits, after = _bracket(name, at, text)
        tokens.append(bits)
        return after
    if character == "\\":
        at += 1
        character = _escape(name, at, text)
    tokens.extend(1 << byte for byte in character.encode())
    return at + 1


def _escape(name: str, at: int, text: str) -> str:
    """Return the character a backslash makes plain. Before a letter: most likely a Windows path."""
    character = name[at : at + 1]
    if not character or character.isalnum():
        raise _invalid(
            text,
            "has a backslash that makes nothing plain",
            "Separate folders with `/`; a backslash makes `* ? [ ] ! # \\` or a blank plain.",
        )
    return character


def _bracket(name: str, start: int, text: str) -> tuple[int, int]:
    """Read a bracket expression; return its set of bytes and where the name goes on."""
    at = start + 1
    negated = name[at : at + 1] in ("!", "^")
    at += negated
    bits, first = 0, True
    while first or name[at : at + 1] != "]":
        first = False
        named = _CLASS.match(name, at)
        if named is not None:
            bits |= _posix(named.group(1), text)
            at = named.end()
            continue
        low, at = _member(name, at, text)
        high = low
        if name[at : at + 1] == "-" and name[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(name, at + 1, text)
        bits |= _span(low, high)
    if negated:
        bits = ~bits
    bits &= ONE_BYTE
    if not bits:
        raise _invalid(text, "has a bracket that allows no character", "Mend or drop the bracket.")
    return bits, at + 1


def _member(name: str, at: int, text: str) -> tuple[int, int]:
    """Read one character of a bracket expression; return its byte and where it ends."""
    if name[at : at + 1] == "\\":
        at += 1
    character = name[at : at + 1]
    if not character:
        raise _invalid(text, "has a `[` that is not closed", "Close it, or write `\\[`.")
    if ord(character) > 127:
        raise _invalid(
            text, f"has {character!r} inside brackets", "git compares bytes there; use `*` instead."
        )
    return ord(character), at + 1


def _posix(name: str, text: str) -> int:
    if name not in _POSIX_CLASSES:
        raise _invalid(text, f"has an unknown class [:{name}:]", "Try [:alpha:] or [:digit:].")
    bits = 0
    for ends in _POSIX_CLASSES[name]:
        bits |= _span(ord(ends[0]), ord(ends[1]))
    return bits


def _span(low: int, high: int) -> int:
    """Return the set of the bytes from `low` to `high`; none if they are the wrong way round."""
    return ((1 << (high + 1)) - 1) & ~((1 << low) - 1) if low <= high else 0


def _invalid(text: str, problem: str, hint: str) -> InvalidInput:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return InvalidInput("invalid_paths", f"The path pattern {shown!r} {problem}.", hint, path=text)
