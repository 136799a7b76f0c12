"""Packing in bounded steps, safe beside writers and readers.

A letter that is sent, read and acknowledged leaves about twenty loose objects. `pack_loose` packs
what main reaches, in the order of history and with paths as hints, so that the versions of a
growing folder lie as small differences; then it removes the loose copies. Objects that nothing
reaches yet (a writer's, before its ref moves) are never packed away or deleted.
"""

from __future__ import annotations

import fcntl
import os
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from gitmail.errors import StoreUnavailable
from gitmail.git import process
from gitmail.git.durable import disk_error, sync_folder
from gitmail.git.refs import read_main
from gitmail.git.walk import is_ancestor

_STEP = 20_000
_MANY_PACKS = 16
_HEX = "0123456789abcdef"
_SAMPLED = tuple(f"{digit}{digit}" for digit in _HEX)
_FOREIGN_LEFTOVER = 3600.0
_PRUNE_AGE = "2.weeks.ago"


@dataclass(frozen=True, slots=True)
class Packing:
    """What one run did. `outcome`: packed, nothing_to_do, partly, busy, locked or failed.

    It is decided by the count of loose objects before and after, never by an exit status alone.
    """

    outcome: str
    loose_before: int
    loose_after: int
    packs: int
    removed: tuple[str, ...] = ()
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether the store is as well packed as it can be."""
        return self.outcome in ("packed", "nothing_to_do")


def count_loose(git_dir: Path, exact: bool = False) -> int:
    """Return the number of loose objects, estimated from 16 of the 256 folders unless `exact`."""
    folders = [a + b for a in _HEX for b in _HEX] if exact else list(_SAMPLED)
    found = sum(_count(f"{git_dir}/objects/{folder}") for folder in folders)
    return found if exact else found * (256 // len(_SAMPLED))


def pack_loose(git_dir: Path, limit_seconds: float = 2.0) -> Packing:
    """Pack loose objects for about `limit_seconds` and say what came of it.

    Safe at any time and in several processes at once (the second reports `busy`). Leftovers of a
    run that was killed are removed; git's own `maintenance.lock` is respected and reported as
    `locked`. No process is left behind. Raises StoreUnavailable `read_only` or `disk_full`.
    """
    path = git_dir / "gitmail" / "maintain.lock"
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise disk_error(error, path) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return _result(git_dir, "busy", count_loose(git_dir), "another process is packing")
        except OSError as error:
            raise disk_error(error, path) from error
        return _Run(git_dir, lock, limit_seconds).pack()
    finally:
        os.close(lock)


class _Run:
    """One run, holding the lock. Git's children inherit it: while one lives, nobody else packs."""

    def __init__(self, git_dir: Path, lock: int, limit_seconds: float) -> None:
        self._git_dir = git_dir
        self._lock = lock
        self._deadline = time.monotonic() + limit_seconds

    def pack(self) -> Packing:
        removed = self._remove_leftovers()
        before = count_loose(self._git_dir, exact=True)
        if (self._git_dir / "objects" / "maintenance.lock").exists():
            return _result(
                self._git_dir,
                "locked",
                before,
                f"{self._git_dir}/objects/maintenance.lock exists: git maintenance is at work, or "
                "was killed; if no git runs in the store, remove that file",
                removed,
            )
        os.truncate(self._lock, 0)
        os.pwrite(self._lock, f"{time.time():.0f}".encode(), 0)
        try:
            outcome, detail = self._steps()
        except StoreUnavailable as error:
            outcome, detail = "failed", error.message
            removed += self._remove_leftovers()
        os.truncate(self._lock, 0)
        return self._judge(outcome, detail, before, removed)

    def _steps(self) -> tuple[str, str]:
        main = read_main(self._git_dir)
        if main is None:
            return "nothing_to_do", ""
        lines = self._unpacked(main)
        for at in range(0, len(lines), _STEP):
            if at and time.monotonic() >= self._deadline:
                self._git(["prune-packed", "--quiet"])
                return "partly", f"time was up after {at} of {len(lines)} objects"
            step = lines[at : at + _STEP]
            self._pack_step(step)
            self._remember_tip(_last_whole_commit(step))
        self._remember_tip(main)
        self._git(["prune-packed", "--quiet"])
        return self._join_packs()

    def _unpacked(self, main: str) -> list[bytes]:
        """List what main reaches beyond the last packed tip, each commit before its objects.

        Not `--unpacked`: that leaves out the folders of a commit which itself is packed already.
        """
        args = ["rev-list", "--objects", "--in-commit-order", "--topo-order", "--reverse", main]
        if (tip := self._packed_tip()) is not None and is_ancestor(self._git_dir, tip, main):
            args.append(f"^{tip}")
        return self._git(args).splitlines()

    def _pack_step(self, lines: list[bytes]) -> None:
        packs = f"{self._git_dir}/objects/pack"
        os.makedirs(packs, exist_ok=True)
        args = ["pack-objects", "--quiet", "--non-empty", "--incremental", "--delta-base-offset"]
        self._git([*args, "--threads=1", f"{packs}/pack"], b"".join(map(_with_hint, lines)))
        sync_folder(packs)

    def _join_packs(self) -> tuple[str, str]:
        """Join small packs, so that their number grows only with the logarithm of the store."""
        if count_packs(self._git_dir) <= _MANY_PACKS:
            return "packed", ""
        args = ["-c", "repack.writeBitmaps=false", "-c", "pack.threads=1", "repack"]
        self._git([*args, "-d", "-l", "-q", "-n", "--geometric=2"])
        self._git(["prune", f"--expire={_PRUNE_AGE}"])
        return "packed", ""

    def _git(self, args: list[str], data: bytes | None = None) -> bytes:
        # A step that is cut off is work for nothing, so it gets a while beyond the limit.
        left = max(0.0, self._deadline - time.monotonic()) + 30.0
        return process.run(
            args, git_dir=self._git_dir, input=data, timeout=left, pass_fds=[self._lock]
        )

    def _packed_tip(self) -> str | None:
        try:
            text = self._tip_file().read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return text if len(text) == 40 else None

    def _remember_tip(self, commit: str | None) -> None:
        if commit is not None:
            with suppress(OSError):
                self._tip_file().write_text(commit, encoding="ascii")

    def _tip_file(self) -> Path:
        return self._git_dir / "gitmail" / "packed-tip"

    def _judge(self, outcome: str, detail: str, before: int, removed: tuple[str, ...]) -> Packing:
        done = _result(self._git_dir, outcome, before, detail, removed)
        if outcome == "packed" and done.loose_after >= before:
            return replace(done, outcome="nothing_to_do")
        return done

    def _remove_leftovers(self) -> tuple[str, ...]:
        """Remove temporary packs of a run that died, and any that is an hour old."""
        started = float(os.pread(self._lock, 32, 0) or b"inf")
        removed = []
        for folder in ("objects/pack", "objects"):
            for file in _temporary_files(f"{self._git_dir}/{folder}"):
                with suppress(OSError):
                    age = time.time() - os.stat(file).st_mtime
                    ours = folder == "objects/pack" and time.time() - age >= started - 2
                    if ours or age > _FOREIGN_LEFTOVER:
                        os.unlink(file)
                        removed.append(file)
        return tuple(removed)


def _last_whole_commit(lines: list[bytes]) -> str | None:
    """Return the last commit whose objects surely all stand in `lines` (a commit has no path)."""
    commits = [line for line in lines if b" " not in line]
    return commits[-2].decode("ascii") if len(commits) > 1 else None


def _with_hint(line: bytes) -> bytes:
    """Return `sha hint` for `sha path`: git seeks differences among objects of similar hints.

    Folders keep their path. A file moves between folders under one name, and git's own weighing of
    names would heap up all letters of one subject: it gets a digest of its bare name.
    """
    sha, _, path = line.partition(b" ")
    name = path.rpartition(b"/")[2]
    return b"%s %s\n" % (sha, b"%08x" % zlib.crc32(name) if b"." in name else path)


def count_packs(git_dir: Path) -> int:
    """Return the number of packs."""
    try:
        return sum(name.endswith(".pack") for name in os.listdir(f"{git_dir}/objects/pack"))
    except FileNotFoundError:
        return 0


def _result(
    git_dir: Path, outcome: str, before: int, detail: str, removed: tuple[str, ...] = ()
) -> Packing:
    after = count_loose(git_dir, exact=True)
    return Packing(outcome, before, after, count_packs(git_dir), removed, detail)


def _temporary_files(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    prefixes = ("tmp_pack_", "tmp_idx_", "tmp_rev_", "tmp_obj_", ".tmp-")
    return [f"{folder}/{name}" for name in names if name.startswith(prefixes)]


def _count(folder: str) -> int:
    try:
        return sum(len(name) == 38 for name in os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return 0
