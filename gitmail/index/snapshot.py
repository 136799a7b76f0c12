"""A private copy of the index, for stores that this process may read but not write.

A file whose log is empty is complete by itself and needs no copy.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from gitmail.index import files

ATTEMPTS = 5
"""How often a copy is taken again because the originals changed meanwhile."""


def take(path: Path, generation: Path) -> Path | None:
    """Copy the database and its log into a new private folder; None where no copy is needed.

    Raises OSError when that does not succeed between two changes of the originals.
    """
    log = files.side_file(generation, "-wal")
    for _ in range(ATTEMPTS):
        before = files.content_stamp(path, generation)
        if before is None:
            raise FileNotFoundError(generation)
        if not log.exists() or log.stat().st_size == 0:
            return None
        copy = Path(tempfile.mkdtemp(prefix="gitmail-index-")) / "index.sqlite"
        with suppress(FileNotFoundError):
            shutil.copyfile(generation, copy)
            shutil.copyfile(log, files.side_file(copy, "-wal"))
        if files.content_stamp(path, generation) == before:
            return copy
        drop(copy)
    raise OSError(f"{generation} changes too often to be copied")


def drop(copy: Path) -> None:
    """Remove a copy and its folder."""
    with suppress(OSError):
        shutil.rmtree(os.path.dirname(copy))
