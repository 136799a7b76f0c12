"""The code project a command is run in: where it is and what its git config says to gitmail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gitmail.errors import InvalidInput, NotFound, Refused, StoreUnavailable
from gitmail.git import process

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]")
_WANTED = r"^(gitmail\..*|user\.name|user\.email|core\.worktree|extensions\.worktreeconfig)$"
_KEY = re.compile(r"gitmail\.[a-z][a-zA-Z0-9-]*")
_OF_THE_PROJECT = ("local", "worktree")
SETUP_AGENT_KEY = "gitmail.setupAgent"
"""The name that `gitmail setup` wrote as this checkout's; it takes only that one out again."""
PER_WORKTREE = frozenset({"gitmail.agent", "gitmail.setupagent", SETUP_AGENT_KEY})
"""Keys that speak for one checkout: a linked worktree does not inherit the main checkout's."""


@dataclass(frozen=True, slots=True)
class Project:
    """A git repository as seen from one folder. All paths are absolute.

    `common_dir` is the same for every worktree, `git_dir` is this worktree's own, `top` the root
    of its files (None in a bare repository). `config` holds the `gitmail.*` values of the
    project's own config (never of the user's), keys in lower case. `store_itself` says that this
    is not a code project but a gitmail store.
    """

    common_dir: Path
    git_dir: Path
    top: Path | None
    is_bare: bool
    store_itself: bool
    config: Mapping[str, str] = field(default_factory=dict)
    user_name: str | None = None
    user_email: str | None = None


def discover(cwd: Path, home: Path | None = None) -> Project:
    """Return the project that the folder (or file) `cwd` belongs to; two git processes.

    Raises InvalidInput `invalid_project` for a Windows path, NotFound `project_not_found` outside
    a repository, Refused `project_refused` for `/` and the bare home folder `home`,
    StoreUnavailable `dubious_ownership` in git's own words.
    """
    if _WINDOWS.match(str(cwd)):
        raise InvalidInput(
            "invalid_project",
            f"{cwd} is a Windows path, and this is not Windows.",
            "Give the path as this system sees it, for example /mnt/c/project under WSL.",
            path=str(cwd),
        )
    folder = cwd if not cwd.is_file() else cwd.parent
    if not folder.is_dir():
        raise _not_found(cwd, f"There is no folder {cwd}.")
    common_dir, git_dir, is_bare, top = _locate(folder)
    scoped = _read_config(folder)
    if top is None and not is_bare:
        top = _top_from_inside(git_dir, common_dir, scoped)
    _refuse_home(cwd, top or common_dir, home)
    return Project(
        common_dir=common_dir,
        git_dir=git_dir,
        top=top,
        is_bare=is_bare,
        store_itself=_is_store(common_dir, is_bare, scoped),
        config=_gitmail_values(scoped, common_dir, git_dir),
        user_name=_last(scoped, "user.name"),
        user_email=_last(scoped, "user.email"),
    )


def set_project_config(project: Project, key: str, value: str | None) -> None:
    """Set (None: unset) a `gitmail.*` value in the project's own git config.

    A key of `PER_WORKTREE` is set for this worktree only, without switching on git's
    worktreeConfig extension for the user. Raises InvalidInput `invalid_key`.
    """
    if _KEY.fullmatch(key) is None:
        raise InvalidInput("invalid_key", f"{key!r} is no gitmail.* key.", key=key)
    if key in PER_WORKTREE and project.git_dir != project.common_dir:
        key = f"{_worktree_section(project.git_dir)}.{key.partition('.')[2]}"
    where = ["config", "--file", f"{project.common_dir}/config"]
    if value is not None:
        process.run([*where, "--replace-all", key, value], git_dir=None, cwd=project.common_dir)
        return
    done = process.try_run([*where, "--unset-all", key], git_dir=None, cwd=project.common_dir)
    if done.returncode not in (0, 5):  # 5: it was not set
        raise process.failure("config", done.stderr, done.returncode)


_Scoped = list[tuple[str, str, str]]
"""(scope, key, value) as git lists them, weakest first."""


def _locate(folder: Path) -> tuple[Path, Path, bool, Path | None]:
    args = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--git-dir"]
    args += ["--is-bare-repository", "--is-inside-work-tree", "--show-toplevel"]
    done = process.try_run(args, git_dir=None, cwd=folder)
    lines = done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]
    if len(lines) < 4:
        if b"not a git repository" in done.stderr and b"dubious" not in done.stderr:
            raise _not_found(folder, f"{folder} is not inside a git repository.")
        raise process.failure("rev-parse", done.stderr, done.returncode)
    if lines[0].startswith("--"):
        process.require_git()
    if len(lines) > 5 or lines[2] not in ("true", "false"):
        raise StoreUnavailable(
            "git_failed", f"The path of the repository at {folder} holds a line feed.", ""
        )
    top = Path(lines[4]) if len(lines) == 5 and lines[3] == "true" else None
    return Path(lines[0]), Path(lines[1]), lines[2] == "true", top


def _read_config(folder: Path) -> _Scoped:
    args = ["config", "--null", "--show-scope", "--includes", "--get-regexp", _WANTED]
    done = process.try_run(args, git_dir=None, cwd=folder)
    if done.returncode > 1:
        raise process.failure("config", done.stderr, done.returncode)
    words = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [
        (scope, *_key_and_value(entry))
        for scope, entry in zip(words[::2], words[1::2], strict=True)
    ]


def _key_and_value(entry: str) -> tuple[str, str]:
    key, newline, value = entry.partition("\n")
    return key, value if newline else "true"


def _last(scoped: _Scoped, wanted: str) -> str | None:
    values = [value for _, key, value in scoped if key == wanted and value.strip()]
    return values[-1] if values else None


def _gitmail_values(scoped: _Scoped, common_dir: Path, git_dir: Path) -> dict[str, str]:
    linked = git_dir != common_dir
    section = _worktree_section(git_dir) + "."
    values: dict[str, str] = {}
    own: dict[str, str] = {}
    for scope, key, value in scoped:
        if not key.startswith("gitmail.") or scope not in _OF_THE_PROJECT:
            continue
        if linked and key.startswith(section):
            own["gitmail." + key[len(section) :]] = value
        elif key.count(".") == 1 and not (linked and key in PER_WORKTREE and scope == "local"):
            values[key] = value
    return values | own


def _worktree_section(git_dir: Path) -> str:
    return f"gitmail.worktree.{git_dir.name}"


def _top_from_inside(git_dir: Path, common_dir: Path, scoped: _Scoped) -> Path | None:
    """Return the work tree for a cwd inside the git folder itself, as in some hooks."""
    if git_dir != common_dir:
        try:
            pointer = (git_dir / "gitdir").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        return (git_dir / pointer).resolve().parent
    if (worktree := _last(scoped, "core.worktree")) is not None:
        return (git_dir / worktree).resolve()
    return git_dir.parent if git_dir.name == ".git" else None


def _is_store(common_dir: Path, is_bare: bool, scoped: _Scoped) -> bool:
    if not (common_dir / "gitmail").is_dir():
        return False
    if any(key == "gitmail.format" and scope == "local" for scope, key, _ in scoped):
        return True
    return is_bare and (common_dir.parent / "gitmail.toml").is_file()


def _refuse_home(cwd: Path, top: Path, home: Path | None) -> None:
    place = top.parent if top.name == ".git" else top
    if place.parent == place:
        what = "the root folder"
    elif home is not None and place == home.resolve():
        what = "your home folder"
    else:
        return
    raise Refused(
        "project_refused",
        f"The git repository of {cwd} is {what}, which is no project.",
        "Change to a project's folder, or name one with GITMAIL_PROJECT.",
        path=str(place),
    )


def _not_found(cwd: Path, message: str) -> NotFound:
    return NotFound(
        "project_not_found",
        message,
        "Change to a git repository, run `git init`, or name a project with GITMAIL_PROJECT.",
        path=str(cwd),
    )
