"""The store: one way to ask, one way to write (docs/architecture.md).

A commit on `main` is the transaction. Everything else (the tree on disk, the index) is a view
that follows, each from its own marker: a crash before main moves changes nothing, a crash after
it loses nothing, because the next opener finishes the views.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gitmail.errors import StoreBusy, StoreUnavailable
from gitmail.git import refs
from gitmail.git.commits import Person
from gitmail.git.durable import disk_error
from gitmail.git.objects import ObjectReader
from gitmail.git.steps import reached
from gitmail.index.index import Index, IndexUnusable
from gitmail.store.index_view import IndexView, MainRewound
from gitmail.store.lock import DEFAULT_WAIT, WriteLock
from gitmail.store.notice import Notice
from gitmail.store.private import PrivateState
from gitmail.store.pushing import let_push_pass
from gitmail.store.tree import Tree, TreeChange, is_leftover
from gitmail.store.view import View
from gitmail.values.paths import CONFIG

if TYPE_CHECKING:
    from gitmail.format.config import StoreConfig
    from gitmail.store.change import Change, NoChange, Written
    from gitmail.store.writing import WriteSession

T = TypeVar("T")

ATTEMPTS = 5
"""How often a question is asked again because the index was lost under it."""


def system_clock() -> datetime:
    """Return the time now, aware UTC."""
    return datetime.now(UTC)


class Store:
    """One opened store. Safe to share among threads; `close` when done.

    `committer` is the person whose machine this is; `clock` returns aware UTC times.
    """

    def __init__(
        self,
        path: Path,
        committer: Person,
        clock: Callable[[], datetime] = system_clock,
        *,
        lock_wait: float = DEFAULT_WAIT,
        durable: bool = True,
    ) -> None:
        self.path = path
        self.git_dir = path / ".git"
        self.private = PrivateState.of_store(path)
        self.committer = committer
        self.clock = clock
        self._lock_wait = lock_wait
        self.durable = durable
        self.reader = ObjectReader(self.git_dir)
        self.tree = Tree(path, self.private)
        self.lock = WriteLock(self.private)
        self.index_view = IndexView(
            self.private,
            self.lock,
            self.git_dir,
            self.reader,
            self.main,
            self.tree.marker,
            self._check_following,
        )
        self._notices = threading.local()
        self._config: tuple[tuple[int, int], StoreConfig] | None = None

    # -- reading -----------------------------------------------------------------------------

    def main(self) -> str:
        """Return the commit that main names now; StoreUnavailable `main_missing` without one."""
        commit = refs.read_main(self.git_dir)
        if commit is None:
            raise StoreUnavailable(
                "main_missing",
                f"the store {self.path} has no main branch",
                "Run `gitmail doctor --fix`: it finds the last commit in the reflog.",
            )
        return commit

    def config(self) -> StoreConfig:
        """Return the store's settings; read again when gitmail.toml changed on disk."""
        from gitmail.store.settings import load_settings  # most questions never ask

        try:
            found = os.stat(self.path / CONFIG)
            stamp = (found.st_mtime_ns, found.st_size)
        except FileNotFoundError:
            stamp = None
        if self._config is not None and stamp is not None and self._config[0] == stamp:
            return self._config[1]
        told: list[str] = []
        commits = (self.tree.marker, self.main)
        config = load_settings(self.path, self.reader, commits, told.append)
        for sentence in told:
            self.notice("broken_file", sentence)
        if stamp is not None and not told:
            self._config = (stamp, config)
        return config

    def read(self, question: Callable[[View], T]) -> T:
        """Answer a question from the index at main, without the store's lock.

        The question may be asked again when the index was deleted or damaged meanwhile, so it
        must not have effects. Raises StoreUnavailable when that does not help.
        """
        self.repair_if_needed()
        failure: IndexUnusable | None = None
        for _ in range(ATTEMPTS):
            try:
                index = self.index_view.current()
                answer = self._answer(index, question)
            except IndexUnusable as error:
                failure = error
                self.index_view.discard()
                continue
            if index.same_files():
                return answer
        raise StoreUnavailable(
            "index_unusable",
            f"the index was lost {ATTEMPTS} times in a row ({failure or 'deleted while in use'})",
            "Run `gitmail doctor`.",
        )

    def _answer(self, index: Index, question: Callable[[View], T]) -> T:
        """Bring the index to main and ask; all of a question's queries see the same commit."""
        try:
            if self.index_view.catch_up(index).stale:
                self.notice("stale", "another process is writing; the answer may lag behind it")
        except MainRewound as rewound:
            self._tell_rewound(rewound)
        if self.index_view.apart is not None:
            self.notice(
                "read_only", f"answers come from a copy of the index: {self.index_view.apart}"
            )
        with index.reading():
            return question(self.view_at(index, index.marker() or self.main()))

    def view_at(self, index: Index, commit: str) -> View:
        """Return the view of an index that shows `commit`."""
        return View(index, commit, self.clock(), self.config, self.tree, self.reader)

    # -- writing -----------------------------------------------------------------------------

    def write(
        self, author: Person, decide: Callable[[View], Change[T] | NoChange[T]]
    ) -> Written[T]:
        """Take a decision and make it the next commit of main.

        `decide` sees the store as it is and returns what shall change; it may be called again
        when main moved in between. An error it raises leaves everything as it was. Once main has
        moved the write counts as done: trouble with a view afterwards becomes a notice.
        Raises StoreBusy, StoreUnavailable (disk_full, read_only, …), Refused `main_rewound`.
        """
        with self.writing() as session:
            return session.commit(author, decide)

    @contextmanager
    def writing(self) -> Iterator[WriteSession]:
        """Hold the write lock for several commits in a row; leftovers of a crash are repaired."""
        from gitmail.store.writing import WriteSession

        let_push_pass(self.private)
        with self.lock.hold(self._lock_wait):
            reached("locked")
            self.finish_leftovers()
            yield WriteSession(self)

    # -- following and repairing -------------------------------------------------------------

    def repair_if_needed(self) -> None:
        """Finish what a crashed writer or a push left behind: the tree, dead locks.

        Called by every opener. When somebody holds the lock there is nothing to repair: that
        writer is alive and about to finish.
        """
        if self.tree.marker() == refs.read_main(self.git_dir) and not self._leftovers():
            return
        try:
            with suppress(StoreBusy), self.lock.hold(0):
                self.finish_leftovers()
                self._follow_main()
        except (StoreUnavailable, OSError) as error:
            self.notice("tree_behind", f"the files on disk may lag behind main: {error}")

    def follow(self) -> None:
        """Bring index and tree to a main that somebody else moved, waiting for the write lock.

        Raises StoreBusy, StoreUnavailable.
        """
        with self.lock.hold(self._lock_wait):
            self.finish_leftovers()
            self._follow_main()

    def _follow_main(self) -> None:
        try:
            index = self.index_view.current()
            self.bring_tree_to(self.index_view.catch_up(index).commit)
        except MainRewound as rewound:
            self._tell_rewound(rewound)
        except IndexUnusable:
            self.index_view.discard()

    def _leftovers(self) -> bool:
        """True when some writer, dead or alive, has files in tmp/ right now."""
        try:
            with os.scandir(self.private.tmp) as entries:
                return any(is_leftover(entry) for entry in entries)
        except FileNotFoundError:
            return False

    def repair_leftovers(self) -> None:
        """Remove what a dead writer left; nothing while a living one holds the lock.

        Raises StoreUnavailable where the store cannot be written.
        """
        if self._leftovers():
            with suppress(StoreBusy), self.lock.hold(0):
                self.finish_leftovers()

    def finish_leftovers(self) -> None:
        """Remove a dead writer's lock on main and its half-written files (lock held)."""
        try:
            if self._leftovers():
                refs.remove_dead_locks(self.git_dir, self.private.tmp)
                self.tree.clear_leftovers(self.has_object)
        except OSError as error:
            raise disk_error(error, self.private.tmp) from error

    def bring_tree_to(self, commit: str) -> None:
        """Place on disk what changed between the tree's marker and `commit` (lock held)."""
        marker = self.tree.marker()
        if marker == commit:
            return
        if marker is not None and not self.has_object(marker):
            marker = None  # pruned by hand: every file is compared
        from gitmail.git import walk  # the usual command finds the tree at main

        changes = [
            TreeChange(
                change.path,
                change.old_sha,
                self.reader.blob(change.new_sha) if change.new_sha else None,
            )
            for change in walk.diff(self.git_dir, marker, commit)
        ]
        try:
            self.tree.place(changes)
            self.tree.set_marker(commit)
        except OSError as error:
            raise disk_error(error, self.path) from error

    def has_object(self, sha: str) -> bool:
        """Tell whether git has an object, sound, in this store."""
        try:
            self.reader.read(sha)
        except StoreUnavailable:
            return False
        return True

    def _check_following(self, marker: str, main: str) -> tuple[str, ...]:
        from gitmail.store.checks import check_following

        return check_following(self.git_dir, self.reader, marker, main)

    # -- notices -----------------------------------------------------------------------------

    def notice(self, code: str, message: str, **facts: object) -> None:
        """Keep a warning for the answer that this thread is working on."""
        found: list[Notice] = self._notices.__dict__.setdefault("found", [])
        if all(known.code != code or known.message != message for known in found):
            found.append(Notice(code, message, facts))

    def take_notices(self) -> list[Notice]:
        """Return and forget the warnings collected on this thread."""
        found: list[Notice] = self._notices.__dict__.pop("found", [])
        return found

    def _tell_rewound(self, rewound: MainRewound) -> None:
        self.notice("main_rewound", rewound.sentence(), marker=rewound.marker, main=rewound.main)

    # -- life --------------------------------------------------------------------------------

    def close(self) -> None:
        """End the helper process and this thread's index connection."""
        self.index_view.close()
        self.reader.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
