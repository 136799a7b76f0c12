"""gitmail's headers through python-frontmatter's handler interface.

`frontmatter.load(path, handler=HeaderHandler())` reads any file of a store with the strict rules
of docs/format.md; gitmail itself reads through it whatever its own fast reader does not know.
"""

from __future__ import annotations

import re
from typing import Any

from frontmatter.default_handlers import BaseHandler

from gitmail.format.events import read_entries
from gitmail.format.frame import FENCE, find_frame
from gitmail.format.writing import header_line


class HeaderHandler(BaseHandler):
    """Splits, loads and exports a header as docs/format.md says; raises HeaderProblem."""

    FM_BOUNDARY = re.compile(r"\A\ufeff?---[ \t]*\r?$", re.MULTILINE)
    START_DELIMITER = END_DELIMITER = FENCE

    def split(self, text: str) -> tuple[str, str]:
        """Return the header's lines and the text, byte for byte."""
        frame = find_frame(text)
        return text[frame.head_start : frame.head_end], frame.text_of(text)

    def load(self, fm: str) -> dict[str, Any]:
        """Return the header's values as they were written: texts, lists and flat maps of texts."""
        return {entry.key: entry.value for entry in read_entries(fm)}

    def export(self, metadata: dict[str, Any], **_: Any) -> str:
        """Return the header's lines for `metadata` (see writing.Writable), in its order."""
        return "".join(header_line(key, value) for key, value in metadata.items()).rstrip("\n")
