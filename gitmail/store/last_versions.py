"""Which versions of a letter a rebuild can pass over.

A letter that was sent, read and acknowledged stands three times in history, and only the last
version says what the index holds; of the first it needs the commit alone, which is known without
reading the file. So each letter is read once. Only where history has no merges: there the order of
commits is the order of arrival.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gitmail.git.walk import PathChange, WalkedCommit
from gitmail.index.apply import AppliedCommit
from gitmail.values.paths import classify

_Key = tuple[str, str]


@dataclass(slots=True)
class LastVersions:
    """Sorts the changes of a walk from the first commit; `tree` maps main's paths to blob ids."""

    tree: Mapping[str, str]
    _kept: frozenset[_Key] = frozenset()
    _first: dict[_Key, AppliedCommit] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._kept = frozenset(key for path in self.tree if (key := _key(path)) is not None)

    def sort(
        self, commit: WalkedCommit, record: AppliedCommit
    ) -> Iterator[tuple[AppliedCommit, list[PathChange]]]:
        """Yield what has to be applied, each part under the commit it counts for."""
        here = []
        for change in commit.changes:
            key = _key(change.path)
            if key is None or key not in self._kept:
                here.append(change)
            elif change.new_sha is not None:
                first = self._first.setdefault(key, record)
                if self.tree.get(change.path) == change.new_sha:
                    yield first, [change]
        if here:
            yield record, here


def _key(path: str) -> _Key | None:
    """Return what a letter keeps on its way: its mailbox and file name; None for other files."""
    place = classify(path)
    return (place.owner or "", place.file) if place.is_letter else None
