"""Making a store: built beside its place, complete with hooks and first commit, then renamed."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from gitmail.git import refs, repository
from gitmail.git.commits import Person, build_commit
from gitmail.git.loose import LooseWriter
from gitmail.git.objects import ObjectReader
from gitmail.git.trees import change_tree
from gitmail.store.hook_stubs import write_hooks
from gitmail.store.private import PrivateState
from gitmail.store.welcome import welcome_files
from gitmail.values.sentences import initialised, render


def create_store(
    path: Path,
    name: str,
    person: Person,
    maintainers: list[str],
    interpreter: str,
    clock: Callable[[], datetime],
) -> bool:
    """Make the store at `path`; False when one is there already (its hooks are written anew).

    `name` is the store's short name, `maintainers` the people it lists, `interpreter` the absolute
    Python that the store's hooks start. Raises what gitmail.git.repository.create raises.
    """

    def fill(top: Path) -> None:
        git_dir = top / ".git"
        PrivateState.of_store(top).make()
        write_hooks(git_dir, interpreter)
        _first_commit(top, git_dir, name, person, maintainers, int(clock().timestamp()))

    if repository.lost_private_dir(path):
        PrivateState.of_store(path).make()
    if repository.create(path, fill):
        return True
    write_hooks(path / ".git", interpreter)
    repository.repair_config(path / ".git")
    return False


def _first_commit(
    top: Path, git_dir: Path, name: str, person: Person, maintainers: list[str], when: int
) -> None:
    private = PrivateState.of_store(top)
    files = welcome_files(name, maintainers)
    with LooseWriter(git_dir) as writer, ObjectReader(git_dir) as reader:
        blobs = {path: writer.add("blob", data) for path, data in files.items()}
        tree = change_tree(reader, writer, None, blobs)
        message = initialised(name)
        data = build_commit(
            tree=tree,
            parents=[],
            author=person,
            author_time=when,
            committer=person,
            committer_time=when,
            message=render(message),
        )
        commit = writer.add("commit", data)
        writer.flush()
    for file, content in files.items():
        (top / file).write_bytes(content)
    refs.advance_main(
        git_dir,
        private.tmp,
        expected=None,
        new=commit,
        who=person,
        time=when,
        reason=message.subject,
    )
    private.tree_marker.write_text(commit + os.linesep, encoding="ascii")
