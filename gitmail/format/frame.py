"""Where the header of a file begins and ends, and where its text does.

Works on characters; a byte order mark and CRLF line ends are understood and left in place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gitmail.format.problem import HeaderProblem

FENCE = "---"
HEADER_LIMIT = 64 * 1024
"""Most bytes a header may have, fences not counted."""

_OPENING = re.compile(r"\ufeff?---[ \t]*(\r?\n)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_EMPTY_LINE = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Frame:
    """Offsets into a file: its header is `head_start:head_end`, its text `text_start:text_end`.

    `head_end` is where the closing fence begins; `newline` is the file's own line end.
    """

    head_start: int
    head_end: int
    text_start: int
    text_end: int
    newline: str

    def text_of(self, whole: str) -> str:
        """Return the text: what follows the one empty line, without the one final line end."""
        return whole[self.text_start : self.text_end]


def find_frame(whole: str) -> Frame:
    """Find header and text of a file.

    Raises HeaderProblem when the first line is no fence, the closing one is missing or the header
    is larger than HEADER_LIMIT.
    """
    opening = _OPENING.match(whole)
    if opening is None:
        raise HeaderProblem(f"the first line is not the fence {FENCE!r}", 0)
    newline = opening[1]
    head_start = opening.end()
    closing = _CLOSING.search(whole, head_start)
    head_end = len(whole) if closing is None else closing.start()
    if _longer_than_limit(whole[head_start : min(head_end, head_start + HEADER_LIMIT + 1)]):
        raise HeaderProblem(f"the header is longer than {HEADER_LIMIT} bytes", 0)
    if closing is None:
        raise HeaderProblem(f"the closing fence {FENCE!r} is missing", 0)
    empty = _EMPTY_LINE.match(whole, closing.end())
    text_start = closing.end() if empty is None else empty.end()
    text_end = len(whole)
    if text_end > text_start and whole.endswith(newline):
        text_end = max(text_start, text_end - len(newline))
    return Frame(head_start, head_end, text_start, text_end, newline)


def _longer_than_limit(head: str) -> bool:
    return len(head) > HEADER_LIMIT or len(head.encode()) > HEADER_LIMIT
