"""What a decision hands to the store, and what the store hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from gitmail.git.commits import Person
from gitmail.values.sentences import Message

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """One commit to be: files by path (None = delete), its sentence, and the answer it stands for.

    `author` replaces the caller of the write; `on_disk` holds the blob ids that the decision saw
    at paths where a person had saved something else than main holds.
    """

    files: Mapping[str, bytes | None]
    message: Message
    result: T
    author: Person | None = None
    on_disk: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoChange(Generic[T]):
    """The decision that nothing has to be written; no commit is made."""

    result: T


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """The answer of a write and the commit that made it true (None for NoChange)."""

    result: T
    commit: str | None
