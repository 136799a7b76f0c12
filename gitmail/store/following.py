"""Walking commits into the index: catching up with others, and rebuilding from the first commit.

Apart from index_view, because the usual command finds the index at main and needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from gitmail.git import walk
from gitmail.git.objects import ObjectReader
from gitmail.index.apply import AppliedCommit, FileChange, apply, reconcile
from gitmail.index.index import Index
from gitmail.store.last_versions import LastVersions

Tell = Callable[[int], None]
"""Called with how many commits are done, every TOGETHER of them."""

TOGETHER = 500


def follow(
    index: Index,
    git_dir: Path,
    reader: ObjectReader,
    since: str | None,
    until: str,
    tell: Tell = lambda _: None,
) -> None:
    """Bring an index that shows `since` (None: empty) to `until`, in the caller's transaction."""
    merged = False
    told: dict[str, str | None] = {}
    for done, commit in enumerate(walk.walk(git_dir, since, until)):
        merged = merged or len(commit.parents) > 1
        told.update((change.path, change.new_sha) for change in commit.changes)
        apply(index, _applied(commit), _with_data(commit.changes, reader.blob))
        if done % TOGETHER == 0:
            tell(done)
    if merged:
        # a merge that keeps one side's version lists nothing: main's own tree decides
        final = walk.settle(git_dir, since, until, told)
        reconcile(index, list(_with_data(final, reader.blob)))


def fill(index: Index, git_dir: Path, reader: ObjectReader, until: str, tell: Tell) -> None:
    """Bring an empty index to `until`: each letter is read once where history has no merges."""
    if walk.has_merges(git_dir, until):
        follow(index, git_dir, reader, None, until, tell)
        return
    versions = LastVersions(walk.tree_of(git_dir, until))
    commits = walk.walk(git_dir, None, until)
    done = 0
    while some := list(islice(commits, TOGETHER)):
        parts = [part for commit in some for part in versions.sort(commit, _applied(commit))]
        wanted = [one.new_sha for _, changes in parts for one in changes if one.new_sha]
        blobs = reader.blobs(wanted)
        for record, changes in parts:
            apply(index, record, _with_data(changes, blobs.__getitem__))
        done += len(some)
        tell(done)


def _with_data(
    changes: Iterable[walk.PathChange], blob: Callable[[str], bytes]
) -> Iterator[FileChange]:
    for change in changes:
        data = blob(change.new_sha) if change.new_sha else None
        yield FileChange(change.path, change.old_sha, change.new_sha, data)


def _applied(commit: walk.WalkedCommit) -> AppliedCommit:
    return AppliedCommit(commit.sha, commit.author.name, commit.author_time, commit.message)
