"""What people do to the files by hand: noticed, committed as theirs, or set aside and named.

Notes may be edited in place with any editor; a delivered letter stays as sent; a well-formed
letter dropped into an inbox is delivered. Nothing that somebody saved is lost: what cannot be used
goes to `aside/`. Looked at are the folders a command names, never the whole tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from gitmail.errors import BrokenFile
from gitmail.format.agents import agent_from_bytes
from gitmail.format.checks import check_changed_file, check_new_file
from gitmail.format.letters import letter_from_bytes
from gitmail.index.index import Index
from gitmail.index.letters import deliveries_of
from gitmail.index.tree import Stamp, TrackedFile, files_below, set_stamps
from gitmail.store.aside import AsideFolder
from gitmail.store.blobs import blob_id
from gitmail.store.change import Change
from gitmail.store.merge import merge_note
from gitmail.store.store import Store
from gitmail.store.tree import TreeChange
from gitmail.store.view import View
from gitmail.store.writing import WriteSession
from gitmail.values import sentences
from gitmail.values.names import name_from_person
from gitmail.values.paths import (
    FIXED_FILES,
    Kind,
    classify,
    inbox_path,
    is_letter_name,
    letter_file_name,
)

AGENTS = "agents"
CLOCK_AHEAD = timedelta(minutes=10)
"""How far ahead of our clock the date of a letter dropped by hand may be."""
STILL_SAVING_SECONDS = 1.0
"""A file that cannot be read yet and is younger than this may be in the middle of a save."""

_EDITORS_OWN = re.compile(r"^[.#]|~$|\.(swp|swx|tmp|bak|orig|part)$|^4913$")


@dataclass(slots=True)
class Edits:
    """What was found by hand and done about it: paths committed, restored, and set aside."""

    committed: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.committed or self.restored or self.set_aside)


@dataclass(frozen=True, slots=True)
class _Found:
    """A file that differs from main: `tracked` is None for a new one, `data` for a missing one."""

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
    touched = store.read(lambda view: any(True for _ in _differing(store, view, folders, files)))
    if not touched and AsideFolder(store.private).empty():
        return Edits()
    with store.writing() as session:
        edits = Edits()
        view = session.view()
        _settle_displaced(store, session, edits)
        for found in list(_differing(store, view, folders, files)):
            _settle(store, session, found, edits)
        _remember(view, store, folders)
    return edits


def tell_set_aside(store: Store) -> None:
    """Turn files that were set aside and not named yet into notices of this answer."""
    folder = AsideFolder(store.private)
    if folder.empty():
        return
    for entry in folder.untold():
        where = os.path.join(".git", "gitmail", "aside", entry.file)
        store.notice(
            "set_aside", f"{entry.reason}; it is kept as {where}", file=entry.path, kept_as=where
        )


# -- finding -----------------------------------------------------------------------------------


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
        return None if data is None else _Found(path, None, data, _age(store, path))
    if data is not None and blob_id(data) == tracked.blob:
        return None
    return _Found(path, tracked, data, _age(store, path))


def _age(store: Store, path: str) -> float:
    try:
        return store.clock().timestamp() - os.stat(store.tree.full(path)).st_mtime
    except OSError:
        return 0.0


# -- settling ----------------------------------------------------------------------------------


def _settle(store: Store, session: WriteSession, found: _Found, edits: Edits) -> None:
    place = classify(found.path)
    if found.data is None:
        _restore(store, found, edits)
    elif place.is_letter and found.tracked is not None:
        _restore(store, found, edits)  # the edited file goes aside as it is replaced
        edits.set_aside.append(found.path)
    elif place.kind is Kind.INBOX:
        _deliver_dropped(store, session, found, edits)
    elif place.kind in (Kind.AGENT, Kind.MEMORY) or found.path in FIXED_FILES:
        _commit_edit(store, session, found, found.tracked.blob if found.tracked else None, edits)
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


def _commit_edit(
    store: Store, session: WriteSession, found: _Found, base: str | None, edits: Edits
) -> bool:
    """Commit a person's save of a note on top of main; False when it could not be used."""
    data = found.data or b""
    view = session.view()
    ours = view.index.blobs([found.path]).get(found.path)
    try:
        merged = _merged(store, found.path, data, base, ours)
    except BrokenFile as broken:
        if found.age < STILL_SAVING_SECONDS:
            return True  # perhaps half saved: the next look decides
        _set_aside(store, found, broken.message, edits)
        return False
    if blob_id(merged) == ours:
        return True
    person = store.committer
    session.commit(
        person,
        lambda _: Change(
            {found.path: merged},
            sentences.edited(name_from_person(person.name), [found.path]),
            None,
            on_disk={found.path: blob_id(data)},
        ),
    )
    edits.committed.append(found.path)
    return True


def _merged(store: Store, path: str, data: bytes, base: str | None, ours: str | None) -> bytes:
    if ours is None:
        _refuse(check_new_file(path, data), path)
        return data
    before = store.reader.blob(base) if base else None
    current = store.reader.blob(ours)
    merged = merge_note(before, current, data, path) if path.endswith(".md") else data
    _refuse(check_changed_file(path, current, merged), path)
    _refuse_new_identity(path, current, merged)
    return merged


def _refuse(problems: list[str], path: str) -> None:
    if problems:
        raise BrokenFile(path, problems[0].removeprefix(f"{path}: "))


def _refuse_new_identity(path: str, old: bytes, new: bytes) -> None:
    if classify(path).kind is not Kind.AGENT:
        return
    was, now = agent_from_bytes(old, path), agent_from_bytes(new, path)
    if (was.id, was.registered_at) != (now.id, now.registered_at):
        raise BrokenFile(path, "the keys id and registered_at of an agent never change")


def _settle_displaced(store: Store, session: WriteSession, edits: Edits) -> None:
    """Bring back what was saved into the old inode of a note that gitmail had replaced."""
    folder = AsideFolder(store.private)
    for entry, data in list(folder.changed(store.clock().timestamp())):
        found = _Found(entry.path, None, data, age=STILL_SAVING_SECONDS)
        _commit_edit(store, session, found, entry.base or None, edits)
        folder.settle(entry, data)


def _deliver_dropped(store: Store, session: WriteSession, found: _Found, edits: Edits) -> None:
    """Deliver a letter that somebody put into an inbox, or set it aside with the reason."""
    owner = classify(found.path).owner or ""
    data = found.data or b""
    try:
        delivery = letter_from_bytes(data, found.path, owner)
        target = inbox_path(owner, _name_for(found.path, letter_file_name(delivery.letter)))
        _refuse(check_new_file(target, data), target)
        if delivery.letter.date > store.clock() + CLOCK_AHEAD:
            raise BrokenFile(found.path, "its date lies in the future")
        if deliveries_of(session.view().index, delivery.letter.id):
            raise BrokenFile(found.path, "a letter with this id was delivered before")
    except BrokenFile as broken:
        if found.age >= STILL_SAVING_SECONDS:
            _set_aside(store, found, broken.message, edits)
        return
    seen = {target: blob_id(data)} if target == found.path else {}
    session.commit(
        store.committer,
        lambda _: Change(
            {target: data}, sentences.adopted(owner, delivery.letter), None, on_disk=seen
        ),
    )
    if target != found.path:
        store.tree.place([TreeChange(found.path, blob_id(data), None)])
    edits.committed.append(target)


def _name_for(path: str, canonical: str) -> str:
    name = path.rpartition("/")[2]
    return name if is_letter_name(name) else canonical


def _remember(view: View, store: Store, folders: list[str]) -> None:
    """Record how the compared files look now, so that the next look costs one stat each."""
    settled = int((store.clock().timestamp() - STILL_SAVING_SECONDS) * 1e9)
    stamps = []
    for folder in folders:
        listing = _listing(store.tree.full(folder))
        for path, tracked in _tracked_in(view.index, folder).items():
            stamp = listing.get(path[len(folder) + 1 :])
            if stamp is None or stamp == tracked.stamp or stamp.mtime_ns > settled:
                continue
            data = store.tree.read(path)
            if data is not None and blob_id(data) == tracked.blob:
                stamps.append((path, tracked.blob, stamp))
    with view.index.writing():
        set_stamps(view.index, stamps)


def _tracked_in(index: Index, folder: str) -> dict[str, TrackedFile]:
    """Return main's files directly in `folder`, by path."""
    found = files_below(index, f"{folder}/")
    return {one.path: one for one in found if "/" not in one.path[len(folder) + 1 :]}


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
