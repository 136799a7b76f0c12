"""The store's own repository: making it, and keeping its settings what gitmail relies on.

It is marked bare, with the Markdown tree beside its `.git`: there is no git index to lag behind
(design: "Where the store is").
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gitmail.errors import Refused, StoreUnavailable
from gitmail.git import process
from gitmail.git.durable import disk_error, sync_file, sync_folder

FORMAT = "1"
SETTINGS: Mapping[str, str] = {
    "core.bare": "true",
    # A hooks path in a pusher's global config would silently switch ours off.
    "core.hooksPath": "hooks",
    "core.logAllRefUpdates": "true",
    "core.filesRefLockTimeout": "3000",
    "core.fsync": "committed,derived-metadata,reference",
    "receive.denyNonFastForwards": "true",
    "receive.denyDeletes": "true",
    "receive.fsckObjects": "true",
    "receive.autogc": "false",
    "receive.unpackLimit": "100",
    # Packing is gitmail's, in bounded steps; nothing may start it behind a command's back.
    "gc.auto": "0",
    "maintenance.auto": "false",
    "commit.gpgSign": "false",
    # Archiving every letter of an inbox is no renamed folder.
    "merge.directoryRenames": "false",
    "gitmail.format": FORMAT,
}
"""What every store's config must say; `check_config` compares, `repair_config` restores."""

_UNWANTED = ("core.worktree", "include.", "includeif.")
_SUPPORTED = {"extensions.objectformat": "sha1", "extensions.refstorage": "files"}
_NO_WORKTREES = "A gitmail store has no linked worktrees: clone it instead.\n"
_CREATING = "creating"
_ORPHAN_SECONDS = 60.0


class ConfigProblem(NamedTuple):
    """One thing about the store's repository that is not as gitmail needs it."""

    what: str
    key: str = ""
    wanted: str | None = None


def git_dir_of(store: Path) -> Path:
    """Return the repository of the store whose top folder is `store`."""
    return store / ".git"


def private_dir(git_dir: Path) -> Path:
    """Return the folder of the store's private, unversioned state."""
    return git_dir / "gitmail"


def is_store(path: Path) -> bool:
    """Tell whether `path` is the top folder of a complete store."""
    git_dir = git_dir_of(path)
    return private_dir(git_dir).is_dir() and (git_dir / "HEAD").is_file()


def lost_private_dir(path: Path) -> bool:
    """Tell whether `path` is a store whose private folder somebody deleted."""
    git_dir = git_dir_of(path)
    ours = (git_dir / "worktrees").is_file() and (git_dir / "HEAD").is_file()
    return ours and not private_dir(git_dir).exists()


def create(path: Path, fill: Callable[[Path], None]) -> bool:
    """Make a store at `path`, completely or not at all.

    It is built in a sibling folder, where `fill(top)` adds the hooks, the files and the first
    commit, and then renamed. Returns False if a store is there already, also when another process
    was faster. Raises Refused `not_empty` if `path` holds anything else; StoreUnavailable
    `git_missing`, `disk_full`, `read_only`, `io_error`, `git_failed`.
    """
    path = path.resolve()
    if is_store(path):
        return False
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise _not_empty(path)
    process.require_git()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path)
        return _build(path, fill)
    except OSError as error:
        raise disk_error(error, path) from error


def check_owner(store: Path) -> None:
    """Refuse a store of another user in git's own words, with `dubious_ownership`.

    Git itself checks only where it discovers a repository, which gitmail never lets it do.
    """
    if os.stat(git_dir_of(store)).st_uid != os.geteuid():
        process.run(["rev-parse", "--git-dir"], git_dir=None, cwd=store)


def check_config(git_dir: Path, hooks: Sequence[str] = ()) -> list[ConfigProblem]:
    """Compare the store's settings, and that `hooks` can run, with what gitmail needs.

    Costs a few stats and one small read while the config file is as it was when last found good.
    Raises StoreUnavailable `unsupported_repository` for SHA-256 or reftable.
    """
    problems = [
        ConfigProblem(f"the hook {hook} is missing or not executable", hook)
        for hook in hooks
        if not os.access(git_dir / "hooks" / hook, os.X_OK)
    ]
    if not (git_dir / "worktrees").is_file():
        problems.append(ConfigProblem("the file that refuses linked worktrees is gone"))
    seen = _seen(git_dir)
    checked = private_dir(git_dir) / "config-checked"
    with suppress(OSError):
        if checked.read_bytes() == seen:
            return problems
    settings = _check_settings(git_dir)
    if not settings:
        _remember(checked, seen)
    return problems + settings


def repair_config(git_dir: Path) -> list[ConfigProblem]:
    """Put right what `check_config` finds, hooks excepted; return what was wrong.

    Raises StoreUnavailable `unsupported_repository`, `read_only`, `disk_full` or `git_failed`.
    """
    problems = check_config(git_dir)
    for problem in problems:
        if not problem.key:
            _refuse_worktrees(git_dir)
        elif problem.wanted is None:
            _config(git_dir, ["--unset-all", problem.key])
        else:
            _config(git_dir, ["--replace-all", problem.key, problem.wanted])
    return problems


def _build(path: Path, fill: Callable[[Path], None]) -> bool:
    top = path.parent / f"{_prefix(path)}{os.getpid()}-{os.urandom(6).hex()}"
    top.mkdir(mode=0o755)
    try:
        lock = _mark_creating(top)
        try:
            _initialise(top)
            fill(top)
            _sync_all(top)
            return _put_in_place(top, path)
        finally:
            os.close(lock)
    finally:
        _remove(top)


def _put_in_place(top: Path, path: Path) -> bool:
    try:
        os.rename(top, path)
    except OSError:
        if is_store(path):
            return False  # another process was faster: its store is as good
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise _not_empty(path) from None
        raise
    with suppress(OSError):
        (private_dir(git_dir_of(path)) / _CREATING).unlink()
    sync_folder(path.parent)
    return True


def _prefix(path: Path) -> str:
    return f".{path.name}-new-"


def _mark_creating(top: Path) -> int:
    """Lock a file in the new folder, so that others see that its maker lives."""
    private = private_dir(git_dir_of(top))
    private.mkdir(parents=True, mode=0o700)
    unlocked = private / f"{_CREATING}.tmp"
    lock = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(unlocked, private / _CREATING)
    return lock


def _remove_leftovers(path: Path) -> None:
    for folder in path.parent.iterdir():
        if folder.name.startswith(_prefix(path)) and _is_dead(folder):
            _remove(folder)


def _remove(folder: Path) -> None:
    import shutil  # only where a store is made

    shutil.rmtree(folder, ignore_errors=True)


def _is_dead(folder: Path) -> bool:
    try:
        lock = os.open(private_dir(git_dir_of(folder)) / _CREATING, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        with suppress(FileNotFoundError):
            return time.time() - folder.stat().st_mtime > _ORPHAN_SECONDS
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(lock)


def _initialise(top: Path) -> None:
    git_dir = git_dir_of(top)
    args = ["-c", "init.defaultRefFormat=files", "init", "--quiet", "--bare", "--template="]
    args += ["--object-format=sha1", "-b", "main", str(git_dir)]
    process.run(args, git_dir=None, cwd=top)
    _write_config(git_dir / "config")
    (git_dir / "hooks").mkdir(exist_ok=True)
    (git_dir / "description").write_text("gitmail store\n", encoding="ascii")
    _refuse_worktrees(git_dir)


def _write_config(config: Path) -> None:
    """Add `SETTINGS` to what git found out about the file system, each key once."""
    ours = {key.partition(".")[2].lower() for key in SETTINGS}
    probed = config.read_text(encoding="utf-8").splitlines()
    lines = [line for line in probed if line.partition("=")[0].strip().lower() not in ours]
    section = "core"
    for key, value in SETTINGS.items():
        of, _, name = key.partition(".")
        if of != section:
            section = of
            lines.append(f"[{section}]")
        lines.append(f"\t{name} = {value}")
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _refuse_worktrees(git_dir: Path) -> None:
    (git_dir / "worktrees").write_text(_NO_WORKTREES, encoding="ascii")


def _sync_all(top: Path) -> None:
    for folder, _, files in os.walk(top):
        for file in files:
            sync_file(f"{folder}/{file}")
        sync_folder(folder)


def _not_empty(path: Path) -> Refused:
    return Refused(
        "not_empty",
        f"{path} exists and is no gitmail store.",
        "Name another folder with `gitmail init --store PATH`.",
        path=str(path),
    )


def _seen(git_dir: Path) -> bytes:
    """Return what decides whether the config was found good: it, and what it was held against."""
    try:
        content = (git_dir / "config").read_bytes()
    except FileNotFoundError:
        raise StoreUnavailable(
            "store_missing", f"{git_dir} is no git repository.", "Run `gitmail init`."
        ) from None
    return repr(sorted(SETTINGS.items())).encode() + b"\n" + content


def _check_settings(git_dir: Path) -> list[ConfigProblem]:
    found = _read_settings(git_dir)
    for key, wanted in _SUPPORTED.items():
        if found.get(key, wanted).lower() != wanted:
            raise StoreUnavailable(
                "unsupported_repository",
                f"The store {git_dir} uses {key} = {found[key]}; gitmail works with {wanted}.",
                "Make a new store with `gitmail init` and push the old one's main into it.",
            )
    problems = []
    for key, wanted in SETTINGS.items():
        is_ = found.get(key.lower())
        if is_ != wanted:
            what = f"{key} is {'not set' if is_ is None else repr(is_)}, not {wanted!r}"
            problems.append(ConfigProblem(what, key, wanted))
    unwanted = [key for key in found if key.startswith(_UNWANTED)]
    problems += [ConfigProblem(f"{key} is set", key) for key in unwanted]
    return problems


def _read_settings(git_dir: Path) -> dict[str, str]:
    args = ["config", "--null", "--file", f"{git_dir}/config", "--no-includes", "--list"]
    out = process.run(args, git_dir=None, cwd=git_dir).decode("utf-8", "replace")
    pairs = (entry.partition("\n") for entry in out.split("\0") if entry)
    return {key: value for key, _, value in pairs}


def _config(git_dir: Path, args: Sequence[str]) -> None:
    if not os.access(git_dir, os.W_OK):
        raise disk_error(PermissionError(13, "Permission denied"), git_dir / "config")
    process.run(["config", "--file", f"{git_dir}/config", *args], git_dir=None, cwd=git_dir)


def _remember(checked: Path, seen: bytes) -> None:
    temporary = checked.with_name(f"{checked.name}-{os.getpid()}-{os.urandom(4).hex()}")
    with suppress(OSError):  # a read-only store is checked anew each time
        temporary.write_bytes(seen)
        os.replace(temporary, checked)
