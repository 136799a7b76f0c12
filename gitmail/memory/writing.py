"""What every write of a note shares: the checked note, its number, its file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gitmail.format.memories import memory_to_bytes
from gitmail.index.memories import newest_number
from gitmail.store.view import View
from gitmail.values.ids import new_id
from gitmail.values.memory import (
    Memory,
    check_note,
    check_source,
    check_title,
    normal_tags,
    title_from_text,
)
from gitmail.values.paths import memory_path
from gitmail.values.secrets import refuse_secrets


@dataclass(frozen=True, slots=True)
class NewNote:
    """A checked note that has no number yet."""

    text: str
    title: str
    source: str
    tags: tuple[str, ...]
    uid: str

    def numbered(self, view: View, author: str, supersedes: Iterable[int] = ()) -> Memory:
        """Return the note with the number above every number that was ever used."""
        return Memory(
            number=newest_number(view.index) + 1,
            uid=self.uid,
            title=self.title,
            text=self.text,
            author=author,
            created_at=view.now,
            source=self.source,
            tags=self.tags,
            supersedes=tuple(supersedes),
        )


def check_new_note(
    text: str,
    source: str,
    tags: Iterable[str] = (),
    title: str | None = None,
    argument: str = "text",
) -> NewNote:
    """Return the note to write; `argument` is what the caller's text is called.

    Raises InvalidInput `empty_input`, `invalid_<argument>`, `invalid_source`, `invalid_tags`,
    `invalid_title`; Refused `secret_like`.
    """
    check_note(text, argument)
    checked_tags = normal_tags(tags)
    fields = {argument: text, "source": check_source(source), "tags": " ".join(checked_tags)}
    if title is not None:
        fields["title"] = check_title(title)
    refuse_secrets(fields)
    return NewNote(text, title or title_from_text(text), source, checked_tags, new_id())


def note_file(memory: Memory) -> tuple[str, bytes]:
    """Return the path and the bytes of a new note."""
    return memory_path(memory.number, memory.title), memory_to_bytes(memory)
