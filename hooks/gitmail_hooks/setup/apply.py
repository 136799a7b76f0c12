"""Carrying out planned edits: each file whole or not at all, and never over a change in between."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from gitmail.errors import Refused
from gitmail_hooks.setup.edits import FileEdit, read_file

HOST_FOLDERS = frozenset(
    {".claude", ".codex", ".gemini", ".cursor", ".vscode", ".github", ".copilot", "hooks"}
)


def apply(edits: Iterable[FileEdit]) -> list[str]:
    """Carry out `edits` in order and return the paths that were written or removed.

    All files are compared with what was planned before the first is touched. Each is written
    beside its place, synced and renamed over it with the permissions it had; its backup is
    written before. A folder that an undo leaves empty goes too.

    Raises Refused: config_changed (nothing was written), config_not_writable (the files before
    the named one are done; the same command goes on from there).
    """
    edits = list(edits)
    for edit in edits:
        if read_file(edit.path) != edit.before:
            raise Refused(
                "config_changed",
                f"{edit.path} was changed by another program after it was read.",
                "Run the same command again.",
                file=edit.path,
            )
    for edit in edits:
        try:
            _carry_out(edit)
        except OSError as error:
            raise Refused(
                "config_not_writable",
                f"{edit.path} cannot be written: {error.strerror}.",
                "Check the permissions of the file and its folder, then run the command again.",
                file=edit.path,
            ) from error
    return [edit.path for edit in edits]


def _carry_out(edit: FileEdit) -> None:
    """Write or remove one file."""
    folder = os.path.dirname(edit.path)
    if edit.after is None:
        os.unlink(edit.path)
        _remove_empty_folders(folder)
        return
    os.makedirs(folder, exist_ok=True)
    mode = stat.S_IMODE(os.stat(edit.path).st_mode) if edit.before is not None else None
    if edit.backup is not None and edit.before is not None:
        _write(edit.backup, edit.before, mode)
    _write(edit.path, edit.after, mode)


def _remove_empty_folders(folder: str) -> None:
    """Remove a host's folder, and the one around it, when nothing is left in it."""
    while os.path.basename(folder) in HOST_FOLDERS:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _write(path: str, data: bytes, mode: int | None) -> None:
    """Put a whole file in place, with `mode` or as any new file."""
    temporary = f"{path}.{os.getpid()}.tmp"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.fchmod(file.fileno(), mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
