"""What a question or a decision sees: the index at one commit, and the files' content there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from gitmail.errors import NotFound
from gitmail.git.objects import ObjectReader
from gitmail.git.trees import read_path
from gitmail.index.index import Index
from gitmail.store.blobs import blob_id
from gitmail.store.tree import Tree

if TYPE_CHECKING:
    from gitmail.format.config import StoreConfig


@dataclass(frozen=True, slots=True)
class View:
    """The store as of the commit `main`. `now` is the time of the call, aware UTC."""

    index: Index
    main: str
    now: datetime
    settings: Callable[[], StoreConfig]
    tree: Tree
    reader: ObjectReader

    @property
    def config(self) -> StoreConfig:
        """The store's settings, read when first asked for."""
        return self.settings()

    def content(self, path: str, blob: str) -> bytes:
        """Return the bytes of a file whose blob id is known: from the tree, else from git.

        The tree is only trusted where it holds exactly that blob, so a file that somebody edits,
        deletes or replaces on disk changes no answer.
        """
        data = self.tree.read(path)
        if data is not None and blob_id(data) == blob:
            return data
        return self.reader.blob(blob)

    def file(self, path: str) -> bytes | None:
        """Return the bytes of `path` in main, or None when main has no such file."""
        root = self.reader.commit(self.main).tree
        entry = read_path(self.reader, root, path)
        return None if entry is None else self.content(path, entry.sha)

    def required(self, path: str) -> bytes:
        """Return the bytes of `path` in main; raises NotFound `file_not_found`."""
        data = self.file(path)
        if data is None:
            raise NotFound("file_not_found", f"{path} is not in the store", path=path)
        return data
