"""Joining two versions of a text that grew from one, with git's own line merge."""

from __future__ import annotations

import tempfile
from pathlib import Path

from gitmail.git import process


def union(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return a text with the changes of both sides; where they meet, the lines of both.

    Raises StoreUnavailable as `process.run`.
    """
    with tempfile.TemporaryDirectory(prefix="gitmail-merge-") as name:
        folder = Path(name)
        for file, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            (folder / file).write_bytes(data)
        args = ["merge-file", "--stdout", "--quiet", "--union", "ours", "base", "theirs"]
        return process.run(args, git_dir=None, cwd=folder)
