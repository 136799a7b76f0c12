"""The index as a view of main: opened, checked, caught up, and rebuilt when it is not usable.

Each thread has a connection of its own. A reader brings the index to main under SQLite's own
write lock; only a rebuild takes the store's. Answers are checked against deletion of the index
files both before and after they are computed (see gitmail.index.Index.same_files).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gitmail.errors import StoreUnavailable
from gitmail.git.durable import disk_error
from gitmail.git.objects import ObjectReader
from gitmail.index.index import Index, IndexBusy, IndexUnusable
from gitmail.store.lock import WriteLock
from gitmail.store.private import PrivateState

_UNWRITABLE = frozenset({"read_only", "disk_full", "io_error", "lock_unsupported"})
_LOOKS = 4
_PAUSE = 0.003

Progress = Callable[[int, int], None]
"""Called with (done, total) while a long rebuild runs."""


class MainRewound(Exception):
    """main cannot be followed from the marker: it was forced, or its commits break the rules."""

    def __init__(self, marker: str, main: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(f"main {main} does not follow {marker}")
        self.marker = marker
        self.main = main
        self.problems = problems

    def sentence(self) -> str:
        """Say what happened to main."""
        if not self.problems:
            return (
                f"somebody moved main to {self.main[:12]}, which does not follow "
                f"{self.marker[:12]}; answers are as of the latter"
            )
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return (
            f"somebody moved main to {self.main[:12]}, which breaks the store's rules: "
            f"{self.problems[0]}{more}; answers are as of {self.marker[:12]}"
        )


class CaughtUp(NamedTuple):
    """How far the index is: the commit it shows, and whether that is main as it stands."""

    commit: str
    stale: bool = False


class IndexView:
    """The index of one store. `current` is what everybody calls first."""

    def __init__(
        self,
        private: PrivateState,
        lock: WriteLock,
        git_dir: Path,
        reader: ObjectReader,
        read_main: Callable[[], str],
        tree_marker: Callable[[], str | None],
        check: Callable[[str, str], tuple[str, ...]],
    ) -> None:
        self._private = private
        self._lock = lock
        self._git_dir = git_dir
        self._reader = reader
        self._read_main = read_main
        self._tree_marker = tree_marker
        self._check = check
        self._mine = threading.local()
        self.progress: Progress | None = None

    @property
    def apart(self) -> str | None:
        """Why this thread answers from an index of its own; None while it uses the store's."""
        return getattr(self._mine, "apart", None)

    def current(self) -> Index:
        """Return this thread's open index, rebuilding it first when it is not usable.

        A thread that holds the write lock always gets the store's own.
        """
        if self.apart is not None and self._lock.held_by_this_thread:
            self.close()
        index: Index | None = getattr(self._mine, "index", None)
        if index is not None and index.same_files():
            return index
        if index is not None:
            self._mine.index = None
            with self._locked():
                index.discard()
        self._mine.index = opened = self._open()
        return opened

    def discard(self) -> None:
        """Drop this thread's index as damaged: its files go, the next `current` rebuilds."""
        index: Index | None = getattr(self._mine, "index", None)
        self._mine.index = None
        if index is not None and self.apart is not None:
            index.close()
        elif index is not None:
            with self._locked():
                index.discard()

    def close(self) -> None:
        """Close this thread's connection."""
        index: Index | None = getattr(self._mine, "index", None)
        self._mine.index = self._mine.apart = None
        if index is not None:
            index.close()

    def catch_up(self, index: Index, *, trusted: bool = False) -> CaughtUp:
        """Bring the index to main; answers from the marker, marked stale, when a writer is slow.

        Raises MainRewound when main does not follow from the marker (`trusted` skips the rules
        check, for a commit that doctor itself made).
        """
        marker, main = index.marker(), self._read_main()
        if marker != main and not self._lock.held_by_this_thread:
            marker, main = self._after_writer(index)
        if marker == main:
            return CaughtUp(main)
        try:
            with index.writing():
                return self._follow(index, trusted)
        except IndexBusy:
            return CaughtUp(marker or main, stale=True)
        except OSError as error:
            if self._lock.held_by_this_thread:
                raise disk_error(error, self._private.index) from error
            self.close()
            self._mine.apart = disk_error(error, self._private.index).message
            raise IndexUnusable("it cannot be brought along") from error

    def _after_writer(self, index: Index) -> tuple[str | None, str]:
        """Give a writer that has just moved main the moment it needs to bring the index along.

        Walking the commit ourselves would start git three times for what it is doing already.
        """
        marker, main = index.marker(), self._read_main()
        for _ in range(_LOOKS):
            if marker == main:
                break
            time.sleep(_PAUSE)
            marker, main = index.marker(), self._read_main()
        return marker, main

    def _follow(self, index: Index, trusted: bool) -> CaughtUp:
        marker = index.marker()
        main = self._read_main()
        if marker == main:
            return CaughtUp(main)
        if marker is None:
            raise IndexUnusable("the index names no commit")
        from gitmail.git import walk  # the usual command finds the index at main
        from gitmail.store import following

        if not walk.is_ancestor(self._git_dir, marker, main):
            if self._is_gone(marker):
                raise IndexUnusable(f"git does not have the commit {marker} any more")
            raise MainRewound(marker, main)
        problems = () if trusted else self._check(marker, main)
        if problems:
            raise MainRewound(marker, main, problems)
        following.follow(index, self._git_dir, self._reader, marker, main)
        index.set_marker(main)
        return CaughtUp(main)

    def _open(self) -> Index:
        if self.apart is None:
            try:
                return self._open_shared()
            except OSError as error:
                self._stand_apart(disk_error(error, self._private.index))
            except StoreUnavailable as error:
                self._stand_apart(error)
        return self._open_apart()

    def _open_shared(self) -> Index:
        try:
            return Index.open(self._private.index)
        except IndexUnusable:
            pass
        with self._locked():
            try:
                return Index.open(self._private.index)  # somebody else rebuilt it meanwhile
            except IndexUnusable:
                return self._rebuild()

    def _stand_apart(self, error: StoreUnavailable) -> None:
        """From now on read beside a store that cannot be written here; writers get the error."""
        if self._lock.held_by_this_thread or error.code not in _UNWRITABLE:
            raise error
        self._mine.apart = error.message

    def _open_apart(self) -> Index:
        from gitmail.store.index_apart import open_apart

        return open_apart(self._private.index, self._read_main(), self.build_at)

    def build_at(self, path: Path) -> Index:
        """Build a second index from git alone, at `path`; for comparing it with the live one."""
        return Index.create(path, self._fill)

    def _rebuild(self) -> Index:
        """Walk all of history into a new index file (the caller holds the write lock)."""
        return Index.create(self._private.index, self._fill)

    def _fill(self, index: Index) -> None:
        from gitmail.git import walk
        from gitmail.store import following

        until, progress = self._followed(), self.progress
        total = walk.count(self._git_dir, until) if progress else 0

        def tell(done: int) -> None:
            if progress:
                progress(done, total)

        following.fill(index, self._git_dir, self._reader, until, tell)
        index.set_marker(until)

    def _followed(self) -> str:
        """Return the commit to rebuild up to: the one that the tree shows, else main.

        From there main is followed as ever, so that one which was forced is noticed also by who
        has lost the index.
        """
        main, shown = self._read_main(), self._tree_marker()
        return main if shown is None or self._is_gone(shown) else shown

    def _is_gone(self, commit: str) -> bool:
        try:
            self._reader.commit(commit)
        except StoreUnavailable:
            return True
        return False

    def _locked(self) -> _Held:
        return _Held(self._lock)


class _Held:
    """The write lock for the body, also where this thread holds it already."""

    def __init__(self, lock: WriteLock) -> None:
        self._hold = None if lock.held_by_this_thread else lock.hold()

    def __enter__(self) -> None:
        if self._hold is not None:
            self._hold.__enter__()

    def __exit__(self, *failure: object) -> None:
        if self._hold is not None:
            self._hold.__exit__(*failure)  # type: ignore[arg-type]
