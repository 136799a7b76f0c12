"""Making commits while holding the store's write lock (docs/architecture.md, the write path).

One session, one holder of the lock; a session may make several commits in a row. Each is decided
from a view that is exactly main, written as objects, made true by moving main, and then followed
by the tree and the index.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gitmail.errors import Refused, StoreBusy, StoreUnavailable
from gitmail.git import refs
from gitmail.git.commits import Person, build_commit
from gitmail.git.durable import disk_error, sync_together
from gitmail.git.loose import LooseWriter
from gitmail.git.steps import reached
from gitmail.git.trees import change_tree
from gitmail.index.apply import AppliedCommit, FileChange, apply
from gitmail.index.index import IndexUnusable
from gitmail.store.change import Change, NoChange, Written
from gitmail.store.index_view import MainRewound
from gitmail.store.tree import TreeChange, TreeFiles
from gitmail.store.view import View
from gitmail.values.sentences import render

if TYPE_CHECKING:
    from gitmail.store.store import Store

T = TypeVar("T")

ATTEMPTS = 5
"""How often a decision is taken again because main moved under it."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A commit whose objects are written, and what the two views need to follow it."""

    record: AppliedCommit
    placed: list[TreeChange]
    changes: list[FileChange]


class WriteSession:
    """The right to commit; made by Store.writing, used by one thread, gone when its block ends."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def commit(
        self, author: Person, decide: Callable[[View], Change[T] | NoChange[T]]
    ) -> Written[T]:
        """Take a decision and make it the next commit of main; see Store.write."""
        for attempt in range(ATTEMPTS):
            view = self.view()
            try:
                decision = decide(view)
                if isinstance(decision, NoChange):
                    return Written(decision.result, None)
                commit = self._commit(view, decision.author or author, decision)
                return Written(decision.result, commit)
            except refs.MainMoved:
                continue
            except IndexUnusable:  # deleted or damaged while it was asked; main has not moved
                if attempt + 1 == ATTEMPTS:
                    raise
                self._store.index_view.discard()
        raise StoreBusy(
            "store_busy",
            f"main moved {ATTEMPTS} times while this change was being decided",
            "Try again.",
        )

    def view(self) -> View:
        """Return the view to decide from: exactly main, with index and tree brought to it.

        Raises Refused `main_rewound`, StoreBusy `store_busy`, StoreUnavailable.
        """
        store = self._store
        for attempt in range(ATTEMPTS):
            try:
                index = store.index_view.current()
                caught_up = store.index_view.catch_up(index)
                if not caught_up.stale:
                    store.bring_tree_to(caught_up.commit)
                    return store.view_at(index, caught_up.commit)
            except IndexUnusable:
                if attempt + 1 == ATTEMPTS:
                    raise
                store.index_view.discard()
            except MainRewound as rewound:
                raise _rewound_refusal(rewound) from None
        raise StoreBusy("store_busy", "the index is busy", "Try again.")

    def _commit(self, view: View, author: Person, change: Change[T]) -> str:
        """Write all of it, sync it in one batch, move main, and let the views follow."""
        store = self._store
        writer = LooseWriter(store.git_dir, fsync=store.durable)
        written: TreeFiles = {}
        private = None
        try:
            made = self._build(view, author, change, writer)
            written = store.tree.write(made.placed)
            private = refs.write_private(store.private.tmp, made.record.sha, sync=False)
            writer.flush(beside=[*written.values(), private])
            self._move_main(view.main, made.record, private, change.message.subject)
        except BaseException as error:
            writer.discard()
            store.tree.drop(written | ({"": private} if private else {}))
            if isinstance(error, OSError):
                raise disk_error(error, error.filename or store.path) from error
            raise
        self._follow_own(view, made, written)
        return made.record.sha

    def _move_main(self, old: str, record: AppliedCommit, private: str, reason: str) -> None:
        refs.advance_main(
            self._store.git_dir,
            self._store.private.tmp,
            expected=old,
            new=record.sha,
            who=self._store.committer,
            time=record.time,
            reason=reason.partition(":")[0],
            private=private,
            sync=False,
        )

    def _build(self, view: View, author: Person, change: Change[T], writer: LooseWriter) -> _Made:
        """Write the objects of a change."""
        store = self._store
        parent = store.reader.commit(view.main)
        blobs = {
            path: None if data is None else writer.add("blob", data)
            for path, data in change.files.items()
        }
        before = view.index.blobs(list(change.files))
        tree = change_tree(store.reader, writer, parent.tree, blobs)
        when = max(int(view.now.timestamp()), parent.committer_time)
        message = render(change.message)
        commit = writer.add(
            "commit",
            build_commit(
                tree=tree,
                parents=[view.main],
                author=author,
                author_time=when,
                committer=store.committer,
                committer_time=when,
                message=message,
            ),
        )
        placed = [
            TreeChange(path, change.on_disk.get(path, before.get(path)), data)
            for path, data in change.files.items()
            if path.startswith("mail/") or data is None or change.on_disk.get(path) != blobs[path]
        ]  # a note that is on disk as it was saved stays: its editor may still be open
        changes = [
            FileChange(path, before.get(path), blobs[path], data)
            for path, data in change.files.items()
        ]
        return _Made(AppliedCommit(commit, author.name, when, message), placed, changes)

    def _follow_own(self, view: View, made: _Made, written: TreeFiles) -> None:
        """Bring both views to our own commit; after main moved nothing here may fail the call."""
        store, index, before = self._store, view.index, view.main
        moved = refs.refs_folder(store.git_dir)
        try:
            store.tree.place(made.placed, written, beside=[moved])
            store.tree.set_marker(made.record.sha)
        except (OSError, StoreUnavailable) as error:
            with suppress(OSError):
                sync_together(folders=[moved])
            store.notice(
                "tree_behind",
                f"the change is committed, but the files on disk could not follow: {error}",
                commit=made.record.sha,
            )
        try:
            with index.writing():
                if index.marker() == before:  # else a reader has followed already
                    apply(index, made.record, made.changes)
                    index.set_marker(made.record.sha)
        except (IndexUnusable, StoreBusy, OSError) as error:
            store.notice("index_behind", f"the change is committed; the index will follow: {error}")
        reached("index-followed")


def _rewound_refusal(rewound: MainRewound) -> Refused:
    return Refused(
        "main_rewound",
        rewound.sentence(),
        "Run `gitmail doctor --fix`: it joins both, and loses nothing.",
        marker=rewound.marker,
        main=rewound.main,
        problems=list(rewound.problems[:20]),
    )
