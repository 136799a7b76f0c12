"""The values of memory: one note, its tags and its title.

Names follow the header of the file, as everywhere; only in the tools' results is `number` called
`id` (contract: memory_consolidate).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from gitmail.errors import InvalidInput
from gitmail.values.text import check_line, check_text, line_problem, shorten, subject_from_text

TEXT_LIMIT = 65_536
TITLE_LIMIT = 200
TITLE_COLUMNS = 72
SOURCE_LIMIT = 64
TAG_LIMIT = 64
TAGS_LIMIT = 32
NUMBER_LIMIT = 2**63 - 1

SOURCE_NOTE = "note"
SOURCE_CORRECTION = "correction"
SOURCE_CONSOLIDATION = "consolidation"

_MARKUP = re.compile(r"^(?:#{1,6}|[-*+>]|[0-9]{1,3}[.)])\s+")
_SENTENCE_END = re.compile(r"(?<=\w\w)[.!?](?=\s+[^\Wa-z])" + "|(?<=\\S)[\u3002\uff01\uff1f]")
_SHORTEST_TITLE = 12


@dataclass(frozen=True, slots=True)
class Memory:
    """One note. `number` is its id for good; `uid` tells notes of clones that met apart.

    A retired note has `superseded_at` and, unless it was only set aside, `superseded_by`, the
    number of the note that took its place. `supersedes` names what this one replaced. All times
    are aware UTC datetimes.
    """

    number: int
    uid: str
    title: str
    text: str
    author: str
    created_at: datetime
    source: str = SOURCE_NOTE
    tags: tuple[str, ...] = ()
    supersedes: tuple[int, ...] = ()
    superseded_by: int | None = None
    superseded_at: datetime | None = None

    @property
    def retired(self) -> bool:
        """True once another note has taken this one's place."""
        return self.superseded_by is not None or self.superseded_at is not None


def normal_tags(tags: Iterable[str], argument: str = "tags") -> tuple[str, ...]:
    """Return `tags` trimmed, case-folded and unique, in the order given.

    Raises InvalidInput `invalid_<argument>` for a blank tag, one with a control character, one of
    more than 64 characters, or more than 32 of them.
    """
    normal = tuple(dict.fromkeys(_normal_tag(tag, argument) for tag in tags))
    if len(normal) > TAGS_LIMIT:
        raise InvalidInput(
            f"invalid_{argument}",
            f"{argument} names {len(normal)} tags; the limit is {TAGS_LIMIT}.",
            "Keep the few tags somebody would search by.",
            argument=argument,
            limit=TAGS_LIMIT,
        )
    return normal


def _normal_tag(tag: str, argument: str) -> str:
    normal = unicodedata.normalize("NFC", tag.strip()).casefold()
    problem = line_problem(normal, TAG_LIMIT)
    if problem is not None:
        raise InvalidInput(
            f"invalid_{argument}",
            f"The tag {tag[:80]!r} {problem}.",
            "Write short words, for instance staging or database.",
            argument=argument,
        )
    return normal


def title_from_text(text: str) -> str:
    """Return a title for a note that was stored without one.

    The first sentence of the first line that says something, without Markdown's marks, cut at 72
    columns; a first sentence of one short word ("Note.") does not end the title.
    """
    line = _MARKUP.sub("", subject_from_text(_first_line(text)))
    end = _SENTENCE_END.search(line, _SHORTEST_TITLE)
    return shorten((line[: end.start()] if end else line).strip() or line, TITLE_COLUMNS)


def _first_line(text: str) -> str:
    for line in text.splitlines():
        if bare := _MARKUP.sub("", line.strip()).strip():
            return bare
    return text


def check_note(text: str, argument: str = "text") -> str:
    """Return `text` when it can be stored as a note: not blank and at most 65,536 bytes.

    Raises InvalidInput `empty_input` for a blank text, `invalid_<argument>` otherwise.
    """
    if not text.strip():
        raise InvalidInput(
            "empty_input",
            f"{argument} is blank.",
            "Write the note as one or a few sentences.",
            argument=argument,
        )
    return check_text(text, argument, TEXT_LIMIT)


def check_title(title: str, argument: str = "title") -> str:
    """Return `title` when it is one line of at most 200 characters.

    Raises InvalidInput `invalid_<argument>`.
    """
    return check_line(title, argument, TITLE_LIMIT)


def check_source(source: str, argument: str = "source") -> str:
    """Return `source` (where the note comes from) when it is one line of at most 64 characters.

    Raises InvalidInput `invalid_<argument>`.
    """
    return check_line(source, argument, SOURCE_LIMIT)
