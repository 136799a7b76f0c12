"""Changing files of a hooks folder so that git finds a whole hook there at every moment."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

_MODE = 0o755


def read_hook(path: Path) -> bytes | None:
    """Return what git would run at `path`; None where nothing is, b"" for a dangling link."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b"" if path.is_symlink() else None


def keep_beside(path: Path, name: str) -> None:
    """Give the hook at `path` a second name in its folder; the file itself, mode and all."""
    kept = path.with_name(name)
    try:
        os.link(path, kept, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # no hard links here: for a moment there is no hook
        os.rename(path, kept)


def write_hook(path: Path, data: bytes) -> None:
    """Put an executable hook at `path` in one step, in place of whatever name is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), _MODE)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def restore(path: Path, name: str) -> None:
    """Put the hook that was kept as `name` back at `path`: the same file as before."""
    os.replace(path.with_name(name), path)


def remove_hook(path: Path) -> None:
    """Remove the hook at `path`, and its folder if nothing else is in it."""
    path.unlink()
    with suppress(OSError):
        path.parent.rmdir()
