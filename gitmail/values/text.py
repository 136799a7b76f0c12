"""Texts, subjects and one-line fields: the checks on the way in, and short forms for showing.

A text is kept byte for byte; the short forms never hold a control character, so that neither a
terminal nor a commit message can be driven by what somebody wrote.
"""

from __future__ import annotations

import re
import unicodedata

from gitmail.errors import InvalidInput

SUBJECT_LIMIT = 200
SUBJECT_FALLBACK = "(no subject)"

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
_UNSAFE_IN_TEXT = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_SLUG = re.compile(r"[^a-z0-9._]+")
_SLUG_RUNS = re.compile(r"-*([._-])[._-]*")


def check_text(text: str, argument: str, limit_bytes: int) -> str:
    """Return `text` when it can be sent: not blank, no NUL, valid UTF-8, at most `limit_bytes`.

    Raises InvalidInput `invalid_<argument>`; for length, the facts hold `bytes` and `limit`.
    """
    if not text.strip():
        raise _invalid(argument, "is blank", "Write what the recipient should know.")
    if "\x00" in text:
        raise _invalid(argument, "holds a NUL character", "Send text, not binary data.")
    if _SURROGATE.search(text):
        raise _invalid(argument, "is not valid Unicode (a lone surrogate)", "Send UTF-8 text.")
    size = len(text.encode())
    if size > limit_bytes:
        raise InvalidInput(
            f"invalid_{argument}",
            f"{argument} has {size} bytes; the limit is {limit_bytes}.",
            "Shorten it, or put the details into a file of the project and name its path.",
            argument=argument,
            bytes=size,
            limit=limit_bytes,
        )
    return text


def is_unicode(text: str) -> bool:
    """Tell whether `text` can be written as UTF-8; one with a lone surrogate is in no file."""
    return _SURROGATE.search(text) is None


def line_problem(text: str, limit: int) -> str | None:
    """Say why `text` cannot be a one-line field of at most `limit` characters; None if it can."""
    if not text.strip():
        return "is blank"
    if _CONTROL.search(text):
        return "holds a line break or another control character"
    if _SURROGATE.search(text):
        return "is not valid Unicode (a lone surrogate)"
    if len(text) > limit:
        return f"has {len(text)} characters; the limit is {limit}"
    return None


def check_line(text: str, argument: str, limit: int) -> str:
    """Return `text` when it is a one-line field (a thread, a task …) within `limit` characters.

    Raises InvalidInput `invalid_<argument>`.
    """
    problem = line_problem(text, limit)
    if problem is not None:
        raise _invalid(argument, problem, f"Write one line of at most {limit} characters.")
    return text


def check_subject(text: str, argument: str = "subject") -> str:
    """Return `text` when it is one line of at most 200 characters; never cut silently.

    Raises InvalidInput `invalid_<argument>`.
    """
    return check_line(text, argument, SUBJECT_LIMIT)


def subject_from_text(text: str) -> str:
    """Return the first line of `text` that says something, cut at 72 columns: a default subject."""
    for line in text.splitlines():
        words = " ".join(_UNSAFE.sub(" ", line).split())
        if words:
            return shorten(words, 72)
    return SUBJECT_FALLBACK


def slug(text: str, limit: int = 60, fallback: str = "letter") -> str:
    """Turn a subject into the tail of a file name: `[a-z0-9._-]`, at most `limit`, never empty."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    dashed = _NOT_SLUG.sub("-", ascii_text.lower())
    tidy = _SLUG_RUNS.sub(r"\1", dashed).strip("._-")
    if len(tidy) > limit:
        cut = tidy[: limit + 1]
        at_word = cut.rpartition("-")[0]
        tidy = (at_word if len(at_word) >= limit // 2 else cut[:limit]).strip("._-")
    return tidy or fallback


def columns(text: str) -> int:
    """Return how many terminal columns `text` takes: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, limit: int) -> str:
    """Return `text`, cut to `limit` columns with an ellipsis where it is longer."""
    if columns(text) <= limit:
        return text
    room = limit - 1
    kept: list[str] = []
    for character in text:
        room -= _width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "\u2026"


def visible(text: str) -> str:
    """Return `text` on one line with control, bidi and invisible marks shown as escapes."""
    return _UNSAFE.sub(_escape, text)


def visible_text(text: str) -> str:
    """Do what `visible` does for a text of many lines: line feeds and tabs stay."""
    return _UNSAFE_IN_TEXT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _invalid(argument: str, problem: str, hint: str) -> InvalidInput:
    return InvalidInput(f"invalid_{argument}", f"{argument} {problem}.", hint, argument=argument)
