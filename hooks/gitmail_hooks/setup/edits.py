"""One change of one file, and the three ways to come to one: set up, and undo, exactly or not."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from gitmail.errors import Refused
from gitmail_hooks.setup import members, toml_table
from gitmail_hooks.setup.jsonc import JsoncError
from gitmail_hooks.setup.shapes import ConfigFile

BACKUP_SUFFIX = ".before-gitmail"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A file as it is and as it shall be; None stands for "no such file".

    `path` is the real file, symbolic links followed. `backup` is where the bytes of `before` are
    kept by `apply`, None when there is nothing to keep.
    """

    path: str
    before: bytes | None
    after: bytes | None
    description: str
    backup: str | None = None


def setup_edit(top: str, config: ConfigFile) -> FileEdit | None:
    """Return the edit that puts gitmail's members into a file, None when they are there.

    Raises Refused: invalid_config_file with the line, server_name_taken, config_not_editable,
    config_not_a_file.
    """
    path = real_path(top, config.path)
    before = read_file(path)
    after = _installed(before, config, path)
    if after == before:
        return None
    had_ours = before is not None and _present(before, config, path) != _nothing(config)
    backup = None if before is None or had_ours else path + BACKUP_SUFFIX
    verb = "create with" if before is None else "add" if not had_ours else "update"
    return FileEdit(path, before, after, f"{verb} {_what(config)}", backup)


def undo_edits(top: str, config: ConfigFile) -> list[FileEdit]:
    """Return the edits that take gitmail's members out of a file again, none when it has none.

    A file that nobody else changed since becomes byte for byte what it was (also absent) and its
    backup goes; otherwise only gitmail's members go and the backup stays. Raises Refused.
    """
    path = real_path(top, config.path)
    current = read_file(path)
    if current is None:
        return []
    present = _present(current, config, path)
    if present == _nothing(config):
        return []
    backup = path + BACKUP_SUFFIX
    original = read_file(backup)
    if _installed(original, replace(config, members=present), path) == current:
        verb = "restore without" if original is not None else "remove, with"
        edits = [FileEdit(path, current, original, f"{verb} {_what(config)}")]
        if original is not None:
            edits.append(FileEdit(backup, original, None, "remove the backup"))
        return edits
    after = _uninstalled(current, config, path)
    return [FileEdit(path, current, after, f"take out {_what(config)}, keep later changes")]


def real_path(top: str, relative: str) -> str:
    """Return the file's path below `top`, symbolic links followed; it need not exist."""
    return os.path.realpath(os.path.join(top, *relative.split("/")))


def read_file(path: str) -> bytes | None:
    """Return the file's bytes, None when there is none; raises Refused for anything else there."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(
            "config_not_a_file",
            f"{path} cannot be read as a file: {error.strerror}.",
            "Move what is there away, or check its permissions.",
            file=path,
        ) from error


def _installed(before: bytes | None, config: ConfigFile, path: str) -> bytes:
    """Return a file's bytes with the members in it."""
    bom, text = _text(before or b"", path)
    if config.toml:
        server = config.members.server
        assert server is not None
        return bom + toml_table.install(text, server["command"], server["args"], path).encode()
    try:
        return bom + members.install(text, config.members, path).encode()
    except JsoncError as error:
        raise _invalid(path, error) from error


def _uninstalled(current: bytes, config: ConfigFile, path: str) -> bytes:
    """Return a file's bytes without the members."""
    bom, text = _text(current, path)
    if config.toml:
        return bom + toml_table.uninstall(text, path).encode()
    return bom + members.uninstall(text, config.members).encode()


def _present(current: bytes, config: ConfigFile, path: str) -> members.Members:
    """Return which of the members a file has, as they stand there."""
    _bom, text = _text(current, path)
    if config.toml:
        return replace(config.members, server=toml_table.present_server(text, path))
    try:
        return members.present_members(text, config.members)
    except JsoncError as error:
        raise _invalid(path, error) from error


def _nothing(config: ConfigFile) -> members.Members:
    """Return the members of a file that has none of ours."""
    return replace(config.members, server=None, hooks=())


def _text(data: bytes, path: str) -> tuple[bytes, str]:
    """Return a leading byte order mark and the text after it; raises Refused when not UTF-8."""
    bom = _BOM if data.startswith(_BOM) else b""
    try:
        return bom, data[len(bom) :].decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _invalid(path, JsoncError(line, "the text is not UTF-8")) from error


def _invalid(path: str, error: JsoncError) -> Refused:
    """Return the error for a file that is not what its host would read."""
    return Refused(
        "invalid_config_file",
        f"{path}:{error.line} is not as expected, so it was left as it is: {error.problem}.",
        "Mend that line and run the same command again.",
        file=path,
        line=error.line,
        problem=error.problem,
    )


def _what(config: ConfigFile) -> str:
    """Return what gitmail keeps in a file, for a person."""
    parts = [] if config.members.server is None else ["the MCP server gitmail"]
    if config.members.hooks:
        names = ", ".join(str(hook.path[-1]) for hook in config.members.hooks)
        parts.append(f"gitmail's hooks for {names}")
    return " and ".join(parts)
