"""What people do to the files by hand: noticed, committed as theirs, or set aside and named.

Notes may be edited in place with any editor; a delivered letter stays as sent; a well-formed
letter dropped into an inbox is delivered. Nothing that somebody saved is lost: what cannot be used
goes to `aside/`. Looked at are the folders a command names, never the whole tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from gitmail.errors import BrokenFile, StoreBusy, StoreUnavailable
from gitmail.index.index import Index
from gitmail.index.tree import Stamp, TrackedFile, files_below, set_stamps
from gitmail.store.aside import AsideFolder
from gitmail.store.blobs import blob_id
from gitmail.store.store import Store
from gitmail.store.tree import TreeChange
from gitmail.store.view import View
from gitmail.values.paths import (
    FIXED_FILES,
    Kind,
    classify,
)

if TYPE_CHECKING:
    from gitmail.store.writing import WriteSession

AGENTS = "agents"
NAMED_AT_ONCE = 10
"""As many set-aside files one answer names; of the others it says how many."""
STILL_SAVING_SECONDS = 1.0
"""A file that cannot be read yet and is younger than this may be in the middle of a save."""

_NOTES = frozenset({Kind.AGENT, Kind.MEMORY, Kind.SUPERSEDED})
_EDITORS_OWN = re.compile(r"^[.#]|~$|\.(swp|swx|tmp|bak|orig|part)$|^4913$")


@dataclass(slots=True)
class Edits:
    """What was found by hand and done about it: paths committed, restored, and set aside."""

    committed: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.committed or self.restored or self.set_aside)


class _Found(NamedTuple):
    """A file that differs from main: `tracked` is None for a new one, `data` for one that is gone
    or cannot be read as a file."""

    path: str
    tracked: TrackedFile | None
    data: bytes | None
    age: float = 0.0


def adopt_edits(
    store: Store, folders: Iterable[str] = (AGENTS,), files: Iterable[str] = ()
) -> Edits:
    """Look at some folders and single files of the tree, and settle what people did there.

    Costs one stat a file when nothing was touched. Raises what Store.write raises when something
    was and the store cannot be written.
    """
    folders, files = list(folders), list(files)
    touched, unstamped = store.read(lambda view: _look(store, view, folders, files))
    aside = AsideFolder(store.private)
    if not touched and (aside.empty() or not aside.pending(store.clock().timestamp())):
        if unstamped:
            with suppress(StoreBusy, StoreUnavailable, OSError):  # it only saves the next look
                _remember(store.index_view.current(), store, folders)
        return Edits()
    with store.writing() as session:
        edits = Edits()
        view = session.view()
        _settle_displaced(store, session, edits)
        for found in list(_differing(store, view, folders, files)):
            _settle(store, session, found, edits)
        _remember(view.index, store, folders)
    return edits


def tell_set_aside(store: Store) -> None:
    """Turn files that were set aside and not named yet into notices of this answer."""
    folder = AsideFolder(store.private)
    if folder.empty():
        return
    untold = folder.untold()
    for entry in untold[:NAMED_AT_ONCE]:
        where = str(store.private.aside / entry.file)
        store.notice(
            "set_aside", f"{entry.reason}; it is kept as {where}", file=entry.path, kept_as=where
        )
    more = len(untold) - NAMED_AT_ONCE
    if more > 0:
        store.notice("set_aside", f"{more} more were set aside, kept in {store.private.aside}")


# -- finding -----------------------------------------------------------------------------------


def _look(store: Store, view: View, folders: list[str], files: list[str]) -> tuple[bool, bool]:
    """Tell whether anything differs, and whether a file had to be read that need not be again."""
    touched = any(True for _ in _differing(store, view, folders, files))
    settled = store.clock().timestamp() - STILL_SAVING_SECONDS
    unstamped = any(
        one.stamp is None and _mtime(store, one.path) <= settled
        for folder in folders
        for one in _tracked_in(view.index, folder).values()
    )
    return touched, unstamped


def _differing(store: Store, view: View, folders: list[str], files: list[str]) -> Iterator[_Found]:
    for folder in folders:
        yield from _differing_in(store, view.index, folder)
    blobs = view.index.blobs(files)
    for path in files:
        blob = blobs.get(path)
        tracked = TrackedFile(path, blob, None) if blob else None
        found = _compare(store, path, tracked)
        if found:
            yield found


def _differing_in(store: Store, index: Index, folder: str) -> Iterator[_Found]:
    known = _tracked_in(index, folder)
    on_disk = _listing(store.tree.full(folder))
    for path, tracked in known.items():
        stamp = on_disk.pop(path[len(folder) + 1 :], None)
        if stamp is None or tracked.stamp != stamp:
            found = _compare(store, path, tracked)
            if found:
                yield found
    for name in on_disk:
        found = _compare(store, f"{folder}/{name}", None)
        if found:
            yield found


def _listing(folder: str) -> dict[str, Stamp]:
    """Return the Markdown files of a folder with their stamps; an editor's own files left out."""
    try:
        with os.scandir(folder) as entries:
            return {
                entry.name: _stamp(entry.stat(follow_symlinks=False))
                for entry in entries
                if not _EDITORS_OWN.search(entry.name) or entry.name == ".keep"
            }
    except (FileNotFoundError, NotADirectoryError):
        return {}


def _compare(store: Store, path: str, tracked: TrackedFile | None) -> _Found | None:
    data = store.tree.read(path)
    if tracked is None:
        named_like_one = data is not None or _is_in_the_way(store, path)
        return _Found(path, None, data, _age(store, path)) if named_like_one else None
    if data is not None and blob_id(data) == tracked.blob:
        return None
    return _Found(path, tracked, data, _age(store, path))


def _is_in_the_way(store: Store, path: str) -> bool:
    """Tell whether something that is no readable file has the name of a Markdown file."""
    return path.endswith(".md") and os.path.lexists(store.tree.full(path))


def _age(store: Store, path: str) -> float:
    return store.clock().timestamp() - _mtime(store, path)


def _mtime(store: Store, path: str) -> float:
    try:
        return os.stat(store.tree.full(path)).st_mtime
    except OSError:
        return store.clock().timestamp()


# -- settling ----------------------------------------------------------------------------------


def _settle(store: Store, session: WriteSession, found: _Found, edits: Edits) -> None:
    place = classify(found.path)
    if found.data is None:
        if _is_in_the_way(store, found.path):
            _set_aside(store, found, f"{found.path} is no file that can be read", edits)
        else:
            _restore(store, found, edits)
    elif place.is_letter and found.tracked is not None:
        _restore(store, found, edits)  # the edited file goes aside as it is replaced
        edits.set_aside.append(found.path)
    elif place.kind is Kind.INBOX:
        _try(store, found, edits, lambda: _deliver(store, session, found, edits))
    elif place.kind in _NOTES or found.path in FIXED_FILES:
        _try(store, found, edits, lambda: _adopt_note(store, session, found, edits))
    else:
        _set_aside(store, found, f"{found.path} is no file of a store", edits)


def _restore(store: Store, found: _Found, edits: Edits) -> None:
    if found.tracked is None:
        return
    data = store.reader.blob(found.tracked.blob)
    store.tree.place([TreeChange(found.path, found.tracked.blob, data)])
    edits.restored.append(found.path)


def _set_aside(store: Store, found: _Found, reason: str, edits: Edits) -> None:
    AsideFolder(store.private).keep(store.tree.full(found.path), found.path, reason)
    edits.set_aside.append(found.path)
    if found.tracked is not None:
        _restore(store, found, edits)


def _try(store: Store, found: _Found, edits: Edits, settle: Callable[[], None]) -> None:
    """Settle a file by its content; one that is unusable goes aside, unless it is half saved."""
    try:
        settle()
    except BrokenFile as broken:
        if found.age >= STILL_SAVING_SECONDS:  # else the next look decides
            _set_aside(store, found, broken.message, edits)


def _adopt_note(store: Store, session: WriteSession, found: _Found, edits: Edits) -> None:
    data = found.data or b""
    from gitmail.store.notes import commit_note

    base = found.tracked.blob if found.tracked else None
    seen = {found.path: blob_id(data)}
    if commit_note(store, session, found.path, data, base, seen):
        edits.committed.append(found.path)


def _deliver(store: Store, session: WriteSession, found: _Found, edits: Edits) -> None:
    from gitmail.store.dropped import deliver_dropped

    edits.committed.append(deliver_dropped(store, session, found.path, found.data or b""))


def _settle_displaced(store: Store, session: WriteSession, edits: Edits) -> None:
    """Bring back what was saved into the old inode of a note that gitmail had replaced."""
    from gitmail.store.notes import commit_note

    folder = AsideFolder(store.private)
    now = store.clock().timestamp()
    for entry, data in list(folder.changed(now)):
        try:
            if commit_note(store, session, entry.path, data, entry.base or None, {}):
                edits.committed.append(entry.path)
        except BrokenFile as broken:
            if folder.age(entry, now) >= STILL_SAVING_SECONDS:
                folder.reject(entry, broken.message)
                edits.set_aside.append(entry.path)
        else:
            folder.settle(entry, data)


def _remember(index: Index, store: Store, folders: list[str]) -> None:
    """Record how the compared files look now, so that the next look costs one stat each."""
    settled = int((store.clock().timestamp() - STILL_SAVING_SECONDS) * 1e9)
    stamps = []
    for folder in folders:
        listing = _listing(store.tree.full(folder))
        for path, tracked in _tracked_in(index, folder).items():
            stamp = listing.get(path[len(folder) + 1 :])
            if stamp is None or stamp == tracked.stamp or stamp.mtime_ns > settled:
                continue
            data = store.tree.read(path)
            if data is not None and blob_id(data) == tracked.blob:
                stamps.append((path, tracked.blob, stamp))
    with index.writing():
        set_stamps(index, stamps)


def _tracked_in(index: Index, folder: str) -> dict[str, TrackedFile]:
    """Return main's files directly in `folder`, by path."""
    found = files_below(index, f"{folder}/")
    return {one.path: one for one in found if "/" not in one.path[len(folder) + 1 :]}


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
