"""Where the store keeps its private, unversioned state: `<store>/.git/gitmail/`.

Everything here may be lost without losing a letter: locks, the index, markers, presence, session
bindings, credentials, half-written files, and files set aside for a person to look at.
"""

from __future__ import annotations

import os
from pathlib import Path


class PrivateState:
    """The paths below one store's private folder, `root`.

    No dataclass: hosts' hooks need it, and importing `dataclasses` is a third of their time.
    """

    __slots__ = ("root",)

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def of_store(cls, store: Path) -> PrivateState:
        """Return the private state of the store whose top folder is `store`."""
        return cls(store / ".git" / "gitmail")

    @property
    def lock(self) -> Path:
        """The file whose lock decides who writes (filelock)."""
        return self.root / "lock"

    @property
    def line(self) -> Path:
        """Where writers stand in line, one ticket each."""
        return self.root / "line"

    @property
    def index(self) -> Path:
        """The disposable SQLite index."""
        return self.root / "index.sqlite"

    @property
    def tree_marker(self) -> Path:
        """Names the commit that the Markdown tree on disk shows."""
        return self.root / "tree"

    @property
    def tmp(self) -> Path:
        """Half-written files; on the same file system as the tree."""
        return self.root / "tmp"

    @property
    def aside(self) -> Path:
        """Displaced files: what an editor may still be saving to, and what could not be used."""
        return self.root / "aside"

    @property
    def presence(self) -> Path:
        """One locked file per living process of an agent."""
        return self.root / "presence"

    @property
    def sessions(self) -> Path:
        """Which agent a host session speaks for."""
        return self.root / "sessions"

    @property
    def credentials(self) -> Path:
        """Hashed registration tokens; readable by the owner only."""
        return self.root / "credentials"

    def make(self) -> None:
        """Create the folders that must exist, readable by this user only.

        Raises StoreUnavailable `disk_full`, `read_only` or `io_error`.
        """
        try:
            for folder in (self.root, self.tmp, self.aside):
                os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            from gitmail.git.durable import disk_error

            raise disk_error(error, self.root) from error
