"""Files set aside: never lost, named once, looked at again.

Two kinds share the folder `aside/`. A *displaced* file is the old inode of a note that gitmail
replaced while an editor may still have it open: it is compared again after SETTLE_SECONDS, and
whatever was saved into it meanwhile comes back as that person's edit. A *kept* file could not be
used (a broken header, an edited letter): it stays until a person removes it, and the next command
names it once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from gitmail.store.blobs import blob_id
from gitmail.store.private import PrivateState

SETTLE_SECONDS = 10.0
"""How long a displaced file is kept before it is compared for the last time."""


class SetAside(NamedTuple):
    """One file in `aside/`: where it came from, what it held, and why it is here."""

    file: str
    path: str
    base: str
    reason: str
    at: float

    @property
    def displaced(self) -> bool:
        """True for the old inode of a replaced note, False for a file kept for a person."""
        return not self.reason


class AsideFolder:
    """The folder `aside/` of one store. Callers hold the store's write lock to change it."""

    def __init__(self, private: PrivateState) -> None:
        self._folder = str(private.aside)

    def displace(self, current: str, path: str, base: str) -> None:
        """Move the old inode at `current` here; `base` is the blob id it held when replaced."""
        self._add(current, path, base, "")

    def keep(self, current: str, path: str, reason: str) -> SetAside:
        """Move an unusable file here for a person to look at; `reason` is a sentence."""
        return self._add(current, path, "", reason)

    def changed(self, now: float) -> Iterator[tuple[SetAside, bytes]]:
        """Yield displaced files that were saved to after all; remove settled, unchanged ones."""
        for entry in self._entries():
            if not entry.displaced:
                continue
            data = _read(os.path.join(self._folder, entry.file))
            if data is not None and blob_id(data) != entry.base:
                yield entry, data
            elif _settled(entry, data, now):
                self.remove(entry)

    def pending(self, now: float) -> bool:
        """Tell whether `changed` has anything to yield or to remove; needs no lock."""
        for entry in self._entries():
            if entry.displaced:
                data = _read(os.path.join(self._folder, entry.file))
                if _settled(entry, data, now) or blob_id(data or b"") != entry.base:
                    return True
        return False

    def settle(self, entry: SetAside, data: bytes) -> None:
        """Say that the save in a displaced file was taken over; it may be saved to once more."""
        self._write_note(entry._replace(base=blob_id(data), at=time.time()))

    def reject(self, entry: SetAside, reason: str) -> None:
        """Keep a displaced file for a person to look at: what was saved into it is unusable."""
        self._write_note(entry._replace(reason=reason))

    def age(self, entry: SetAside, now: float) -> float:
        """Return the seconds since somebody last saved to the file."""
        return now - os.stat(os.path.join(self._folder, entry.file)).st_mtime

    def untold(self) -> list[SetAside]:
        """Return kept files that no command has named yet, and mark them as named."""
        fresh = [entry for entry in self._entries() if entry.reason and not self._told(entry)]
        for entry in fresh:
            with suppress(OSError), open(self._note(entry.file) + ".told", "wb"):
                pass  # on a store that cannot be written they are named again
        return fresh

    def remove(self, entry: SetAside) -> None:
        """Forget an entry and its file."""
        for name in (entry.file, entry.file + ".json", entry.file + ".json.told"):
            _unlink(os.path.join(self._folder, name))

    def empty(self) -> bool:
        """True when nothing is here: the usual case, one system call."""
        with os.scandir(self._folder) as entries:
            return next(entries, None) is None

    def _add(self, current: str, path: str, base: str, reason: str) -> SetAside:
        at = time.time()
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(at))
        file = f"{stamp}-{os.urandom(4).hex()}-{os.path.basename(path)}"
        entry = SetAside(file, path, base, reason, at)
        self._write_note(entry)
        os.rename(current, os.path.join(self._folder, file))
        return entry

    def _write_note(self, entry: SetAside) -> None:
        facts = {"path": entry.path, "base": entry.base, "reason": entry.reason, "at": entry.at}
        temporary = self._note(f".{entry.file}")
        with open(temporary, "w", encoding="utf-8") as note:
            json.dump(facts, note)
        os.replace(temporary, self._note(entry.file))

    def _entries(self) -> list[SetAside]:
        entries = []
        for name in sorted(os.listdir(self._folder)):
            if name.endswith(".json") and not name.startswith("."):
                data = _read(os.path.join(self._folder, name))
                facts = json.loads(data) if data else None
                if facts:
                    entries.append(SetAside(file=name[: -len(".json")], **facts))
        return entries

    def _told(self, entry: SetAside) -> bool:
        return os.path.exists(self._note(entry.file) + ".told")

    def _note(self, file: str) -> str:
        return os.path.join(self._folder, file + ".json")


def _settled(entry: SetAside, data: bytes | None, now: float) -> bool:
    return data is None or now - entry.at >= SETTLE_SECONDS


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
