"""Whether commits that gitmail did not make itself keep the store's rules (docs/format.md).

Used by the pre-receive hook on a push, by every opener on a main that somebody else moved, and by
`gitmail check-store`. Every commit is judged against its parent, and the end against the
beginning: a merge that silently drops one side's letters shows only there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path

from gitmail.format.checks import (
    check_changed_file,
    check_letter_change,
    check_new_file,
    check_removed_file,
    settings_changes,
)
from gitmail.git import walk
from gitmail.git.objects import ObjectReader
from gitmail.git.trees import list_tree
from gitmail.store.numbers import number_problems
from gitmail.values.names import fold, name_from_person
from gitmail.values.paths import CONFIG, Kind, classify, mailbox_path
from gitmail.values.sentences import UNDOES, parse_trailers

CLOCK_AHEAD = timedelta(days=1)
PLAIN_FILE = 0o100644
_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{40})", re.MULTILINE)
_SHOWN = 20


@dataclass(slots=True)
class _Checker:
    git_dir: Path
    reader: ObjectReader
    quarantine: bool
    authors: bool
    latest: datetime | None = None
    exempt_paths: set[str] = field(default_factory=set)

    def range(self, old: str, new: str) -> list[str]:
        problems: list[str] = []
        for commit in walk.walk(self.git_dir, old, new, self.quarantine):
            found = self._commit(commit)
            problems += [f"{commit.sha[:10]}: {problem}" for problem in found]
            if len(problems) > _SHOWN:
                return problems
        ends = walk.diff(self.git_dir, old, new, self.quarantine)
        problems += [problem for problem in self._ends(ends) if not _known(problem, problems)]
        return problems + self._orphans(ends, new) + self._pushed(ends, old, new)

    def _commit(self, commit: walk.WalkedCommit) -> list[str]:
        if self._undoes_exactly(commit):
            self.exempt_paths.update(change.path for change in commit.changes)
            return []
        author = name_from_person(commit.author.name) if self.authors else None
        return self._changes(commit.changes, author)

    def _ends(self, changes: Iterable[walk.PathChange]) -> list[str]:
        """Judge the end against the beginning: letters only, the rest was judged by commit."""
        letters = [
            change
            for change in changes
            if change.old_sha and classify(change.path).is_letter | (change.new_sha is None)
        ]
        added = [change for change in changes if change.old_sha is None]
        touched = [change for change in letters if change.path not in self.exempt_paths]
        return self._changes([*touched, *added], None, new_files=False)

    def _changes(
        self, changes: Iterable[walk.PathChange], author: str | None, new_files: bool = True
    ) -> list[str]:
        changes = list(changes)
        problems = [
            f"{change.path}: not a plain file (mode {change.new_mode:o})"
            for change in changes
            if change.new_sha and change.new_mode != PLAIN_FILE
        ]
        if problems:
            return problems
        arrived: dict[str, list[walk.PathChange]] = {}
        for change in changes:
            if change.old_sha is None and change.new_sha is not None:
                arrived.setdefault(_moved_key(change.path), []).append(change)
        for change in changes:
            if change.new_sha is None:
                problems += self._gone(change, arrived, author)
            elif change.old_sha is not None:
                old, new = self.reader.blob(change.old_sha), self.reader.blob(change.new_sha)
                problems += check_changed_file(change.path, old, new, author)
                if change.path == CONFIG and author is not None and not problems:
                    problems += settings_changes(old, new)
        if new_files:
            for change in chain.from_iterable(arrived.values()):
                data = self.reader.blob(change.new_sha or "")
                problems += check_new_file(change.path, data, author, self.latest)
        return problems

    def _gone(
        self,
        change: walk.PathChange,
        arrived: dict[str, list[walk.PathChange]],
        author: str | None,
    ) -> list[str]:
        place = classify(change.path)
        may_move = place.is_letter or place.kind is Kind.KEEP
        targets = arrived.get(_moved_key(change.path)) if may_move else None
        if not targets or not change.old_sha:
            return check_removed_file(change.path)
        if place.kind is Kind.KEEP:
            return []
        target = targets.pop(0)
        old, new = self.reader.blob(change.old_sha), self.reader.blob(target.new_sha or "")
        return check_letter_change(change.path, old, target.path, new, author)

    def _undoes_exactly(self, commit: walk.WalkedCommit) -> bool:
        """True for a commit that says which one it takes back, and does that and nothing else."""
        named = parse_trailers(commit.message).get(UNDOES, []) + _REVERTS.findall(commit.message)
        if len(named) != 1 or len(commit.parents) != 1:
            return False
        target = named[0]
        if not walk.is_ancestor(self.git_dir, target, commit.parents[0], self.quarantine):
            return False
        parents = self.reader.commit(target).parents
        if len(parents) != 1:
            return False
        undone = walk.diff(self.git_dir, parents[0], target, self.quarantine)
        wanted = {(change.path, change.new_sha, change.old_sha) for change in undone}
        done = {(change.path, change.old_sha, change.new_sha) for change in commit.changes}
        return wanted == done

    def _pushed(self, changes: Iterable[walk.PathChange], old: str, new: str) -> list[str]:
        """Judge new names and numbers where people push; what follows main has been judged."""
        if not self.authors:
            return []
        added = [
            change
            for change in changes
            if change.old_sha is None and change.path not in self.exempt_paths
        ]
        numbers = number_problems(self.git_dir, self.reader, old, new, added, self.quarantine)
        return self._twins(added, new) + numbers

    def _twins(self, added: Iterable[walk.PathChange], new: str) -> list[str]:
        """Refuse a new agent whose name differs from another's only by case."""
        fresh = [one.path for one in added if classify(one.path).kind is Kind.AGENT]
        if not fresh:
            return []
        root = self.reader.commit(new).tree
        agents = [path for path, _ in list_tree(self.reader, root, fresh[0].rpartition("/")[0])]
        return [
            f"{path}: {other} has that name already, in another case"
            for path in fresh
            for other in agents
            if other != path and fold(other) == fold(path)
        ]

    def _orphans(self, changes: Iterable[walk.PathChange], new: str) -> list[str]:
        """Refuse to lose an agent whose mailbox still holds letters."""
        root = self.reader.commit(new).tree
        problems = []
        for change in changes:
            place = classify(change.path)
            if place.kind is Kind.AGENT and change.new_sha is None and place.owner:
                letters = list_tree(self.reader, root, mailbox_path(place.owner))
                if any(classify(path).is_letter for path, _ in letters):
                    problems.append(f"{change.path}: {place.owner} still has letters")
        return problems


def check_push(git_dir: Path, reader: ObjectReader, old: str, new: str, now: datetime) -> list[str]:
    """Return what is wrong with the commits `old..new` of a push; the reader sees its quarantine.

    Authors count: letters come from their author, marks from the mailbox's owner. A letter may be
    dated ahead of `now` by CLOCK_AHEAD, for the clock of another machine.
    """
    latest = now + CLOCK_AHEAD
    return _Checker(git_dir, reader, quarantine=True, authors=True, latest=latest).range(old, new)


def check_range(git_dir: Path, reader: ObjectReader, old: str, new: str) -> list[str]:
    """Return what is wrong with commits that are in the store already."""
    return _Checker(git_dir, reader, quarantine=False, authors=True).range(old, new)


def check_following(git_dir: Path, reader: ObjectReader, old: str, new: str) -> tuple[str, ...]:
    """Return what keeps the views from following main from `old` to `new`.

    Authors are not judged: what was adopted from a person's hand passes here.
    """
    return tuple(_Checker(git_dir, reader, quarantine=False, authors=False).range(old, new))


def _moved_key(path: str) -> str:
    """Return what a mailbox's file keeps when it moves: owner and file name; else the path."""
    place = classify(path)
    moves = place.is_letter or place.kind is Kind.KEEP
    return f"{place.owner}\0{place.file}" if moves else path


def _known(problem: str, problems: list[str]) -> bool:
    return any(known.endswith(problem) for known in problems)
