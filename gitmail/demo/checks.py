"""What must be true of the store when the correspondence has been played."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from gitmail.demo.failure import DemoFailed
from gitmail.demo.script import Script
from gitmail.demo.stage import Stage, commits, git
from gitmail.values.paths import inbox_folder, is_letter_name


def run_checks(stage: Stage, script: Script, commits_before: int) -> Iterator[str]:
    """Run every final check, yielding a sentence for each that holds.

    `commits_before` is the length of main before the first step. Raises DemoFailed at the first
    check that does not hold.
    """
    git(stage, stage.store, "fsck", "--full", "--strict", "--no-dangling")
    yield "git fsck finds nothing wrong in the store"
    _must(_merges(stage) == 0, "the store's history is not linear")
    yield "the store's history is one straight line"
    made, planned = commits(stage) - commits_before, sum(step.commits for step in script.steps)
    _must(made == planned, f"the steps made {made} commits, not {planned}")
    yield f"{planned} acting steps made {planned} commits"
    _tree_is_main(stage)
    yield "the Markdown tree on disk is what main holds, byte for byte"
    for name, count in script.waiting.items():
        found = waiting_files(stage, name)
        _must(found == count, f"{found} letters wait in {name}'s inbox folder, not {count}")
    yield "each inbox folder holds the letters that still wait, and no other"
    for folder in (stage.project, stage.worktree):
        changed = git(stage, folder, "status", "--porcelain", "--untracked-files=all").strip()
        _must(not changed, f"gitmail changed the code project: {changed}")
    yield "the code project itself is untouched"


def waiting_files(stage: Stage, name: str) -> int:
    """Count the letters in the inbox folder of a mailbox."""
    folder = stage.store / inbox_folder(name)
    return sum(is_letter_name(entry.name) for entry in folder.iterdir()) if folder.is_dir() else 0


def _merges(stage: Stage) -> int:
    return int(git(stage, stage.store, "rev-list", "--count", "--min-parents=2", "main"))


def _tree_is_main(stage: Stage) -> None:
    listed = git(stage, stage.store, "ls-tree", "-r", "-z", "main").split("\0")
    main = {}
    for line in filter(None, listed):
        facts, _, path = line.partition("\t")
        main[path] = facts.split()[2]
    disk = {path: _blob_id(stage.store / path) for path in _files(stage.store)}
    wrong = sorted(path for path in main.keys() | disk.keys() if main.get(path) != disk.get(path))
    _must(not wrong, f"the tree on disk differs from main in {', '.join(wrong[:5])}")


def _files(store: Path) -> Iterator[str]:
    for folder, names, files in os.walk(store):
        if Path(folder) == store:
            names.remove(".git")
        for file in files:
            yield (Path(folder) / file).relative_to(store).as_posix()


def _blob_id(path: Path) -> str:
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()


def _must(holds: bool, problem: str) -> None:
    if not holds:
        raise DemoFailed(f"After the last step, {problem}.")
