"""Whether commits from elsewhere keep the rule that no memory's number is used twice.

Numbers of notes that are gone count as well (docs/format.md), so history is asked; but only when
something was added below memories/, and only for the names that ever were there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gitmail.errors import BrokenFile
from gitmail.format.memories import memory_from_bytes
from gitmail.git import walk
from gitmail.git.objects import ObjectReader
from gitmail.git.trees import list_tree
from gitmail.values.paths import Kind, classify

_FOLDER = "memories"
_MEMORIES = (Kind.MEMORY, Kind.SUPERSEDED)


def number_problems(
    git_dir: Path,
    reader: ObjectReader,
    old: str,
    new: str,
    added: Iterable[walk.PathChange],
    quarantine: bool,
) -> list[str]:
    """Return what is wrong with the numbers of notes that `old..new` added, by their paths.

    A note that moves (retired, reinstated, retitled) keeps its number and its uid.
    """
    fresh = {change.path: change.new_sha for change in added if _number(change.path)}
    if not fresh:
        return []
    before, after = _numbered(reader, old), _numbered(reader, new)
    ever = {_number(path) for path in walk.paths_ever(git_dir, old, _FOLDER, quarantine)}
    problems = []
    for path, sha in fresh.items():
        number = _number(path)
        if len(after.get(number, {})) > 1:
            others = ", ".join(sorted(other for other in after[number] if other != path))
            problems.append(f"{path}: number {number} is that of {others}")
        elif number in before:
            if _uid(reader, path, sha) not in _uids(reader, before[number]):
                problems.append(f"{path}: number {number} is another note's")
        elif number in ever:
            problems.append(f"{path}: number {number} was used before; numbers are never reused")
    return problems


def _number(path: str) -> int | None:
    place = classify(path)
    return place.number if place.kind in _MEMORIES else None


def _numbered(reader: ObjectReader, commit: str) -> dict[int | None, dict[str, str]]:
    """Return by number the paths of a commit's notes, with their blobs."""
    found: dict[int | None, dict[str, str]] = {}
    for path, entry in list_tree(reader, reader.commit(commit).tree, _FOLDER):
        number = _number(path)
        if number is not None:
            found.setdefault(number, {})[path] = entry.sha
    return found


def _uids(reader: ObjectReader, paths: dict[str, str]) -> set[str | None]:
    return {_uid(reader, path, sha) for path, sha in paths.items()}


def _uid(reader: ObjectReader, path: str, sha: str | None) -> str | None:
    """Return a note's uid; None for a broken file, which is somebody else's finding."""
    try:
        return memory_from_bytes(reader.blob(sha or ""), path).uid
    except BrokenFile:
        return None
