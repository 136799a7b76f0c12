"""A look at the project around a folder that starts no process, for the fast path of host hooks.

It answers only for the plain cases (a checkout or a linked worktree of this user's, a config
without includes) and says None for everything else, which then goes to git itself
(gitmail.git.project.discover). tests/waking/test_glance.py compares the two.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from gitmail.errors import NotFound

_NOT_PLAIN = re.compile(rb"\[include|worktreeconfig|\n[ \t]*worktree|\\\n", re.IGNORECASE)
_SECTION = re.compile(rb"^\[gitmail\]\n((?:\t[^\n]*\n)*)(?=\[|\Z)", re.MULTILINE)
_ANY_GITMAIL = re.compile(rb"^[ \t]*\[[ \t]*gitmail", re.IGNORECASE | re.MULTILINE)
_VALUE = re.compile(rb"\t([A-Za-z-]+) = ([A-Za-z0-9._/+-]+)\n")
_MAIN = "refs/heads/main"
_SHA = re.compile(rb"[0-9a-f]{40}\n?")


class Glance(NamedTuple):
    """A project: the root of this checkout, the git folder all its worktrees share, and the
    `gitmail.*` values of its config. Paths are absolute, symbolic links followed.
    """

    top: str
    common_dir: str
    linked: bool
    config: dict[str, str]


def glance(folder: str) -> Glance | None:
    """Return the project around `folder`, or None where only git can tell.

    Raises NotFound `project_not_found` where certainly none is.
    """
    found = _git_entry(os.path.realpath(folder))
    if found is None:
        return None
    top, entry = found
    try:
        git_dir = _git_dir(top, entry)
        common_dir = _common_dir(git_dir)
        if not _is_plain_repository(top, entry, git_dir, common_dir):
            return None
        config = _config(common_dir, linked=git_dir != common_dir)
    except (OSError, ValueError):
        return None
    return None if config is None else Glance(top, common_dir, git_dir != common_dir, config)


def main_of(git_dir: str) -> str | None:
    """Return the commit in main's loose file, None where there is none (packed, or damaged)."""
    try:
        data = _read(f"{git_dir}/{_MAIN}")
    except OSError:
        return None
    return data[:40].decode() if _SHA.fullmatch(data) else None


def _git_entry(folder: str) -> tuple[str, str] | None:
    """Return the first folder upwards with a `.git`, on one file system, as git looks for it."""
    try:
        device = os.stat(folder).st_dev
        while os.stat(folder).st_dev == device:
            entry = os.path.join(folder, ".git")
            if os.path.lexists(entry):
                return folder, entry
            if os.path.lexists(os.path.join(folder, "HEAD")):
                return None  # perhaps a bare repository, or the inside of one
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent
    except OSError:
        return None
    raise NotFound("project_not_found", f"{folder} is not inside a git repository.")


def _git_dir(top: str, entry: str) -> str:
    if os.path.isdir(entry):
        return os.path.realpath(entry)
    data = _read(entry)
    if not data.startswith(b"gitdir: "):
        raise ValueError(entry)
    return os.path.realpath(os.path.join(top, os.fsdecode(data[8:].rstrip(b"\n"))))


def _common_dir(git_dir: str) -> str:
    try:
        data = _read(os.path.join(git_dir, "commondir"))
    except FileNotFoundError:
        return git_dir
    return os.path.realpath(os.path.join(git_dir, os.fsdecode(data.rstrip(b"\n"))))


def _is_plain_repository(top: str, entry: str, git_dir: str, common_dir: str) -> bool:
    """Tell whether git would take this for a repository, and for one of this user's."""
    me = os.geteuid()
    if any(os.lstat(path).st_uid != me for path in (top, entry, git_dir)):
        return False
    if not os.path.isfile(os.path.join(git_dir, "HEAD")):
        return False
    return all(os.path.isdir(os.path.join(common_dir, name)) for name in ("objects", "refs"))


def _config(common_dir: str, *, linked: bool) -> dict[str, str] | None:
    """Return the project's gitmail values; None where the file needs git to be understood."""
    data = _read(os.path.join(common_dir, "config"))
    if _NOT_PLAIN.search(data) or b"repositoryformatversion = 0" not in data:
        return None
    if not _ANY_GITMAIL.search(data):
        return {}
    sections = _SECTION.findall(data)
    if linked or len(_ANY_GITMAIL.findall(data)) != len(sections):
        return None
    values: dict[str, str] = {}
    for body in sections:
        for line in body.splitlines(keepends=True):
            found = _VALUE.fullmatch(line)
            if found is None:
                return None
            values[f"gitmail.{found[1].decode().lower()}"] = found[2].decode()
    return values


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(1 << 20)
