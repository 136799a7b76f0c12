"""Undo: the opposite of one commit, path by path, as a commit of its own.

Works also after later, unrelated commits. Where one of the paths has changed since, nothing is
done and the answer says which. A `git revert` in a clone, pushed, does the same.
"""

from __future__ import annotations

from gitmail.errors import Refused
from gitmail.git import walk
from gitmail.git.commits import Person
from gitmail.git.trees import list_tree
from gitmail.index.letters import sent
from gitmail.store.change import Change, Written
from gitmail.store.edits import adopt_edits
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.names import name_from_person
from gitmail.values.paths import CONFIG, Kind, classify, mailbox_path


def undo(store: Store, who: Person, commit: str) -> Written[str]:
    """Take back what `commit` (any name git understands) did; the answer is its full id.

    Raises NotFound `commit_not_found`; Refused `cannot_undo` for a merge, for the first commit,
    where a path has changed since, and where an agent would vanish whose mailbox holds letters.
    """
    target = walk.resolve_commit(store.git_dir, commit)
    adopt_edits(store, (), _touched(store, target))

    def decide(view: View) -> Change[str]:
        record = store.reader.commit(target)
        if len(record.parents) != 1:
            raise _refused(target, "only a commit with one parent can be undone, no merge or first")
        if not walk.is_ancestor(store.git_dir, target, view.main):
            raise _refused(target, "it is not part of main")
        changes = walk.diff(store.git_dir, record.parents[0], target)
        _check_unchanged(view, target, changes)
        _check_mailboxes(view, target, changes)
        files = {
            change.path: None if change.old_sha is None else store.reader.blob(change.old_sha)
            for change in changes
        }
        subject = record.message.partition("\n")[0]
        message = sentences.undone(name_from_person(who.name), target, subject)
        return Change(files, message, target)

    return store.write(who, decide)


def _touched(store: Store, target: str) -> list[str]:
    """Return the files that a commit wrote: what a person saved there since counts as a change."""
    parents = store.reader.commit(target).parents
    changes = walk.diff(store.git_dir, parents[0], target) if len(parents) == 1 else ()
    return [change.path for change in changes if change.new_sha is not None]


def _check_unchanged(view: View, target: str, changes: tuple[walk.PathChange, ...]) -> None:
    now = view.index.blobs([change.path for change in changes])
    changed = [change.path for change in changes if now.get(change.path) != change.new_sha]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise _refused(target, f"{changed[0]}{more} changed since then", paths=changed)
    if not changes:
        raise _refused(target, "it changed nothing")


def _check_mailboxes(view: View, target: str, changes: tuple[walk.PathChange, ...]) -> None:
    """Keep an agent whose mailbox holds letters that this very commit did not bring."""
    own = {change.path for change in changes}
    root = view.reader.commit(view.main).tree
    for change in changes:
        place = classify(change.path)
        if change.path == CONFIG and change.old_sha is None:
            raise _refused(target, "a store keeps its gitmail.toml")
        if place.kind is not Kind.AGENT or change.old_sha is not None or place.owner is None:
            continue
        letters = [path for path, _ in list_tree(view.reader, root, mailbox_path(place.owner))]
        letters += [copy.path for one in sent(view.index, place.owner) for copy in one.deliveries]
        if any(classify(path).is_letter and path not in own for path in letters):
            raise _refused(target, f"{place.owner} has letters, and an agent with letters stays")


def _refused(target: str, why: str, **facts: object) -> Refused:
    return Refused(
        "cannot_undo",
        f"Commit {target[:12]} cannot be undone: {why}.",
        "`gitmail log` shows what came after it; undo the later commits first.",
        commit=target,
        **facts,
    )
