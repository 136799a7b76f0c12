"""An index for a store that this process may read but not write (or whose disk is full)."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path

from gitmail.git.durable import disk_error
from gitmail.index.index import Index, IndexUnusable


def open_apart(shared: Path, main: str, build: Callable[[Path], Index]) -> Index:
    """Return the store's own index, read in place or copied, where it shows `main`.

    Else one that `build` makes from git in a temporary folder, which goes when the index does;
    it can be brought along like any other. Raises StoreUnavailable where that does not work.
    """
    try:
        index = Index.open_read_only(shared)
        if index.marker() == main:
            return index
        index.close()
    except (IndexUnusable, OSError):
        pass
    folder = tempfile.mkdtemp(prefix="gitmail-index-")
    try:
        index = build(Path(folder) / "index.sqlite")
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise disk_error(error, tempfile.gettempdir()) from error
    weakref.finalize(index, shutil.rmtree, folder, ignore_errors=True)
    return index
