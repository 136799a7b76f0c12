"""Joining both tips after somebody moved main by hand; nothing of either is lost.

The views show the commit they last followed (`marker`); main stands somewhere else. What main's
own commits added within the rules is kept, what they removed or tampered with is restored.
"""

from __future__ import annotations

from datetime import UTC, datetime

from gitmail.format.checks import check_changed_file, check_new_file
from gitmail.git import refs, walk
from gitmail.git.commits import build_commit
from gitmail.git.loose import LooseWriter
from gitmail.git.trees import change_tree, read_path
from gitmail.store.index_view import MainRewound
from gitmail.store.store import Store
from gitmail.values import sentences
from gitmail.values.paths import Kind, archive_path, classify


def join_tips(store: Store, rewound: MainRewound) -> str:
    """Move main to a commit that follows both tips; the views follow. Returns that commit.

    Where main was only set back, it is simply moved forward again. Raises StoreBusy when main
    moves meanwhile.
    """
    with store.lock.hold():
        marker, main = rewound.marker, store.main()
        if walk.is_ancestor(store.git_dir, main, marker):
            target, reason = marker, "doctor: main moved forward again"
        else:
            target, reason = _join(store, marker, main), "doctor: joined 2 histories"
        refs.advance_main(
            store.git_dir,
            store.private.tmp,
            expected=main,
            new=target,
            who=store.committer,
            time=int(store.clock().timestamp()),
            reason=reason,
        )
        index = store.index_view.current()
        store.index_view.catch_up(index, trusted=True)
        store.bring_tree_to(target)
        return target


def recover_main(store: Store) -> str | None:
    """Make main again where it was deleted: at what the tree shows, else at what the reflog says.

    Returns the commit, None when neither names one that the store has.
    """
    with store.lock.hold():
        for commit in (store.tree.marker(), *reversed(refs.reflog(store.git_dir))):
            if commit is None or not store.has_object(commit):
                continue
            refs.advance_main(
                store.git_dir,
                store.private.tmp,
                expected=None,
                new=commit,
                who=store.committer,
                time=int(store.clock().timestamp()),
                reason="doctor",
            )
            return commit
    return None


def _join(store: Store, marker: str, main: str) -> str:
    base = walk.merge_base(store.git_dir, marker, main)
    root = store.reader.commit(marker).tree
    changes: dict[str, str | None] = {}
    for change in walk.diff(store.git_dir, base, main):
        if change.new_sha is not None and _keeps_rules(store, root, change):
            changes[change.path] = change.new_sha
    parents = [main] if walk.is_ancestor(store.git_dir, marker, main) else [main, marker]
    when = max(
        int(store.clock().timestamp()),
        *(store.reader.commit(parent).committer_time for parent in parents),
    )
    with LooseWriter(store.git_dir) as writer:
        tree = change_tree(store.reader, writer, root, changes)
        data = build_commit(
            tree=tree,
            parents=parents,
            author=store.committer,
            author_time=when,
            committer=store.committer,
            committer_time=when,
            message=sentences.render(sentences.joined([main, marker])),
        )
        commit = writer.add("commit", data)
        writer.flush()
    return commit


def _keeps_rules(store: Store, root: str, change: walk.PathChange) -> bool:
    """Tell whether what main has at a path may be taken over into the joined tree."""
    if change.new_mode != 0o100644 or change.new_sha is None:
        return False
    ours = read_path(store.reader, root, change.path)
    data = store.reader.blob(change.new_sha)
    if ours is None:
        known = classify(change.path)
        elsewhere = known.kind is Kind.INBOX and _is_archived(store, root, change.path)
        return not elsewhere and not check_new_file(change.path, data)
    if ours.sha != change.old_sha:
        return False  # both sides changed it: what was followed stays, the other is in history
    return not check_changed_file(change.path, store.reader.blob(ours.sha), data)


def _is_archived(store: Store, root: str, path: str) -> bool:
    """True when a letter that main has in an inbox was handled on the followed side."""
    place = classify(path)
    if place.owner is None or place.prefix is None:
        return False
    sent = datetime.strptime(place.file[:8], "%Y%m%d").replace(tzinfo=UTC)
    return read_path(store.reader, root, archive_path(place.owner, sent, place.file)) is not None
