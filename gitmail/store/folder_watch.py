"""Watching one folder: the system's events where there are any, and otherwise nothing.

An event only says "look again"; whoever is told looks on its own every few seconds as well, so a
lost event costs a moment and never a letter. Where the system gives no events (network and WSL
file systems, no inotify watches left) that is all there is, and `trouble` says so once.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitmail.store.surroundings import file_system

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

_MOUNTS = "/proc/self/mounts"
_KERNEL = "/proc/sys/kernel/osrelease"


class FolderWatch:
    """Calls `wake` from another thread when something in `folder` came, went or moved.

    The folder need not exist, and may be removed and made again: `refresh`, called now and then,
    follows it. Only the folder itself is watched, nothing below it.
    """

    def __init__(self, folder: Path, wake: Callable[[], None], *, polling: bool = False) -> None:
        self._folder = folder
        self._wake = wake
        self._observer: Any = None
        self._watched: tuple[int, int] | None = None
        self.trouble: str | None = None
        self._events = not polling and has_events(folder)
        if not self._events:
            self.trouble = f"{folder} is on a file system without events; it is looked at instead"

    @property
    def watching(self) -> bool:
        """True while events come for the folder as it is now."""
        return self._watched is not None

    def refresh(self) -> None:
        """Watch the folder if it is there and not watched as the one it is now."""
        if not self._events:
            return
        there = _identity(self._folder)
        if there == self._watched:
            return
        self.close()
        if there is None:
            return
        try:
            self._observe()
        except OSError as error:
            self._events = False
            self.close()
            reason = error.strerror or str(error)
            self.trouble = f"no events for {self._folder} ({reason}); it is looked at instead"
            return
        self._watched = there
        self._wake()  # what came before the watch stood

    def close(self) -> None:
        """Stop watching."""
        observer, self._observer, self._watched = self._observer, None, None
        if observer is not None:
            observer.stop()
            with suppress(RuntimeError):  # never started, or stopped from its own thread
                observer.join(1)

    def _observe(self) -> None:
        from watchdog.events import (
            DirDeletedEvent,
            FileCreatedEvent,
            FileDeletedEvent,
            FileMovedEvent,
            FileSystemEventHandler,
        )
        from watchdog.observers import Observer

        class Handler(FileSystemEventHandler):
            def on_any_event(_self, event: FileSystemEvent) -> None:
                self._seen(event)

        kinds = [FileCreatedEvent, FileDeletedEvent, FileMovedEvent, DirDeletedEvent]
        self._observer = observer = Observer()
        observer.daemon = True
        observer.schedule(Handler(), str(self._folder), recursive=False, event_filter=kinds)
        observer.start()

    def _seen(self, event: FileSystemEvent) -> None:
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if event.is_directory or any(_is_letter(os.path.basename(path)) for path in paths):
            self._wake()


def has_events(folder: Path, mounts: str = _MOUNTS, kernel: str = _KERNEL) -> bool:
    """Tell whether the system reports changes of `folder` that others make.

    `mounts` is the mount table and `kernel` the file with the kernel's release.
    """
    if file_system(folder, mounts).shared:
        return False
    try:
        release = Path(kernel).read_text(encoding="utf-8", errors="replace").casefold()
    except OSError:
        return True
    windows_drive = len(folder.parts) > 2 and folder.parts[1] == "mnt" and len(folder.parts[2]) == 1
    return not ("microsoft" in release and windows_drive)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_letter(name: str) -> bool:
    """Tell a letter from the half-written and temporary files of editors."""
    return name.endswith(".md") and not name.startswith((".", "~", "#"))
