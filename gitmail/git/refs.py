"""Moving `refs/heads/main`: the one point of no return (design: "Writing", step 4).

`main.lock` is git's own lock file for the ref, so a `git push` and we exclude each other. We take
it by linking a private, synced file to that name: whoever finds a `main.lock` that is one of our
private files, while holding the store lock, knows that its maker is dead; any other `main.lock`
belongs to a live git and is never broken. Where there are no hard links, or in a copied store,
the private file's content tells the same.
"""

from __future__ import annotations

import os
import re
import time as clock
from contextlib import suppress
from pathlib import Path

from gitmail.errors import StoreBusy, StoreUnavailable
from gitmail.git import process, steps
from gitmail.git.commits import Person, ident
from gitmail.git.durable import disk_error, sync_descriptor, sync_folder, write_all
from gitmail.git.loose import NO_LINKS

MAIN = "refs/heads/main"
LOGS = (f"logs/{MAIN}", "logs/HEAD")
_ZERO = "0" * 40
_SHA = re.compile(rb"[0-9a-f]{40}\n?")
_HEAD = re.compile(rb"ref:\s*refs/heads/main\s*")
_UNFINISHED_AFTER = 10.0


class MainMoved(StoreBusy):
    """Main is not where the writer left it; `actual` says where it is (None: no commit yet)."""

    def __init__(self, expected: str | None, actual: str | None) -> None:
        super().__init__(
            "main_moved",
            f"main moved from {expected} to {actual} while this was being written.",
            "Try again.",
            expected=expected,
            actual=actual,
        )
        self.actual = actual


def read_main(git_dir: Path) -> str | None:
    """Return main's commit as it stands on disk (loose, else packed), or None before the first.

    Raises StoreUnavailable: `wrong_head` if HEAD is not symbolic to main, `damaged_ref` if main's
    file holds no commit name, `store_missing` if there is no repository.
    """
    _check_head(git_dir)
    for _ in range(2):  # packing writes packed-refs first and then removes the loose file
        loose = _read(f"{git_dir}/{MAIN}")
        if loose is not None:
            if _SHA.fullmatch(loose) is None:
                raise _damaged_ref(git_dir)
            return loose[:40].decode()
        if (packed := _read_packed(git_dir)) is not None:
            return packed
    return None


def advance_main(
    git_dir: Path,
    tmp_dir: Path,
    *,
    expected: str | None,
    new: str,
    who: Person,
    time: int,
    reason: str,
    wait: float = 3.0,
    private: str | None = None,
    sync: bool = True,
) -> None:
    """Move main from `expected` to `new` (both durable commits), durably, with reflogs.

    `tmp_dir` is a folder for private files on the store's file system; `time` is in seconds. A
    caller that has synced a file of `write_private` passes it as `private`; with `sync=False` it
    syncs `refs_folder` itself, before anything rests on the move. The caller holds the store
    lock. Raises MainMoved if main is not `expected`; StoreBusy `ref_locked` if git holds
    `main.lock` for longer than `wait` seconds; StoreUnavailable as `read_main`, or `disk_full`,
    `read_only`, `io_error`. When it raises, main has not moved.
    """
    lock = f"{git_dir}/{MAIN}.lock"
    try:
        private = private or write_private(tmp_dir, new)
        try:
            _take(private, lock, new, wait)
            _move(git_dir, lock, expected, new, ident(who, time), reason)
        except BaseException:
            if _is_ours(lock, private):
                _undo(git_dir, lock, expected, new)
            raise
        finally:
            for file in (private, _intent(private)):
                with suppress(OSError):
                    os.unlink(file)
    except OSError as error:
        raise disk_error(error, error.filename or lock) from error
    with suppress(OSError):  # main has moved: nothing after that may look like a failure
        if sync:
            sync_folder(refs_folder(git_dir))
    steps.reached("lock-cleaned")


def reflog(git_dir: Path) -> list[str]:
    """Return the commits main has been at, oldest first, as main's reflog tells, else HEAD's.

    git deletes a branch's own reflog with the branch.
    """
    for log in LOGS:
        lines = (_read(f"{git_dir}/{log}") or b"").splitlines()
        if lines:
            return [line[41:81].decode("ascii", "replace") for line in lines if len(line) > 81]
    return []


def remove_dead_locks(git_dir: Path, tmp_dir: Path) -> list[str]:
    """Clear what a writer that died left, and return the paths removed.

    The caller holds the store lock. A `main.lock` is removed if it is one of our private files, by
    inode or (no hard links, copied store) by content; its reflog lines for a move that never
    happened go too.
    """
    lock = f"{git_dir}/{MAIN}.lock"
    removed = []
    private = _private_files(tmp_dir)
    if any(_is_ours(lock, file) for file in private):
        new = (_read(lock) or b"").decode("ascii", "replace").strip()
        _undo(git_dir, lock, read_main(git_dir), new)
        removed.append(lock)
    for file in private:
        with suppress(FileNotFoundError):
            os.unlink(file)
            removed.append(file)
    return removed


def _check_head(git_dir: Path) -> None:
    head = _read(f"{git_dir}/HEAD")
    if head is None:
        raise StoreUnavailable(
            "store_missing", f"{git_dir} is no git repository.", "Run `gitmail init`."
        )
    if _HEAD.fullmatch(head) is None:
        raise StoreUnavailable(
            "wrong_head",
            f"HEAD of the store {git_dir} does not point at refs/heads/main.",
            "Run `gitmail doctor --fix`.",
            head=head.decode("utf-8", "replace").strip(),
        )


def points_at_main(git_dir: Path) -> bool:
    """Tell whether HEAD is symbolic to main, as a store's must be."""
    return _HEAD.fullmatch(_read(f"{git_dir}/HEAD") or b"") is not None


def repair_head(git_dir: Path) -> bool:
    """Make HEAD point at main again; tell whether it did not. The caller holds the store lock."""
    if points_at_main(git_dir):
        return False
    temporary = f"{git_dir}/HEAD-{os.getpid()}-{os.urandom(4).hex()}"
    with open(temporary, "wb") as file:
        file.write(b"ref: " + MAIN.encode() + b"\n")
    os.replace(temporary, f"{git_dir}/HEAD")
    return True


def other_refs(git_dir: Path) -> list[tuple[str, str]]:
    """Return name and object of every ref but main; a store has none."""
    out = process.run(["for-each-ref", "--format=%(refname) %(objectname)"], git_dir=git_dir)
    found = [line.rpartition(" ") for line in out.decode("utf-8", "replace").splitlines()]
    return [(name, sha) for name, _, sha in found if name != MAIN]


def delete_ref(git_dir: Path, name: str, sha: str) -> None:
    """Delete a ref that still names `sha`; raises as `process.run`."""
    process.run(["update-ref", "-d", "--end-of-options", name, sha], git_dir=git_dir)


def _damaged_ref(git_dir: Path) -> StoreUnavailable:
    return StoreUnavailable(
        "damaged_ref",
        f"{git_dir}/{MAIN} does not hold the name of a commit.",
        f"Run `gitmail doctor --fix`; {git_dir}/logs/{MAIN} tells where main was.",
    )


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreUnavailable(
            "unreadable", f"Cannot read {path}: {error.strerror}.", path=path
        ) from error


def _read_packed(git_dir: Path) -> str | None:
    data = _read(f"{git_dir}/packed-refs") or b""
    match = re.search(rb"^([0-9a-f]{40}) refs/heads/main$", data, re.MULTILINE)
    return match[1].decode() if match else None


def refs_folder(git_dir: Path) -> str:
    """Return the folder whose entry for main a move replaces."""
    return f"{git_dir}/refs/heads"


def write_private(tmp_dir: Path, new: str, sync: bool = True) -> str:
    """Write the private file that will become main's lock, and return its path."""
    path = f"{tmp_dir}/ref-{os.getpid()}-{os.urandom(8).hex()}"
    _write_lock(path, new, sync)
    steps.reached("lock-written")
    return path


def _write_lock(path: str, new: str, sync: bool = True) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        write_all(descriptor, new.encode() + b"\n")
        if sync:
            sync_descriptor(descriptor)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(descriptor)


def _intent(private: str) -> str:
    """Name the file that announces, where there are no links, that the lock is about to be made."""
    return private.replace("/ref-", "/intent-")


def _take(private: str, lock: str, new: str, wait: float) -> None:
    os.makedirs(os.path.dirname(lock), exist_ok=True)
    deadline = clock.monotonic() + wait
    pause = 0.002
    while True:
        try:
            _try_take(private, lock, new)
            break
        except FileExistsError:
            if clock.monotonic() >= deadline:
                raise _ref_locked(lock, wait) from None
        clock.sleep(pause)
        pause = min(pause * 2, 0.05)
    steps.reached("lock-linked")


def _try_take(private: str, lock: str, new: str) -> None:
    try:
        os.link(private, lock)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        intent = _intent(private)
        if not os.path.exists(intent):
            _write_lock(intent, new)
            sync_folder(os.path.dirname(intent))
        _write_lock(lock, new)


def _ref_locked(lock: str, wait: float) -> StoreBusy:
    try:
        age = max(0.0, clock.time() - os.stat(lock).st_mtime)
    except FileNotFoundError:
        age = 0.0
    return StoreBusy(
        "ref_locked",
        f"Another git holds {lock} (made {age:.0f} s ago); waited {wait:g} s for it.",
        "Try again. If no git process is at work in the store, remove that file.",
        path=lock,
        age_seconds=round(age, 1),
    )


def _move(
    git_dir: Path, lock: str, expected: str | None, new: str, who: bytes, reason: str
) -> None:
    actual = read_main(git_dir)
    if actual != expected:
        raise MainMoved(expected, actual)
    words = " ".join(reason.split()).encode("utf-8", "replace")
    line = f"{expected or _ZERO} {new} ".encode() + who + b"\t" + words + b"\n"
    for log in LOGS:
        _append_line(f"{git_dir}/{log}", line)
    steps.reached("reflog-written")
    os.rename(lock, f"{git_dir}/{MAIN}")
    steps.reached("ref-moved")


def _undo(git_dir: Path, lock: str, expected: str | None, new: str) -> None:
    for log in LOGS:
        with suppress(OSError):
            _drop_line(f"{git_dir}/{log}", expected, new)
    os.unlink(lock)


def _append_line(path: str, line: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            line = b"\n" + line  # a line that a crash cut short stays alone
        write_all(descriptor, line)
    finally:
        os.close(descriptor)


def _private_files(tmp_dir: Path) -> list[str]:
    try:
        names = os.listdir(tmp_dir)
    except FileNotFoundError:
        return []
    return [f"{tmp_dir}/{name}" for name in names if name.startswith(("ref-", "intent-"))]


def _is_ours(lock: str, private: str) -> bool:
    try:
        held, file = os.stat(lock), os.stat(private)
    except FileNotFoundError:
        return False
    if (held.st_dev, held.st_ino) == (file.st_dev, file.st_ino):
        return True
    content = _read(lock)
    if content:
        return content == _read(private)
    # Cut off between creating the lock and filling it; git fills its own at once.
    unfinished = clock.time() - held.st_mtime > _UNFINISHED_AFTER
    return unfinished and os.path.basename(private).startswith("intent-")


def _drop_line(log: str, old: str | None, new: str) -> None:
    """Cut the last line of a reflog if it tells of the move from `old` to `new` that never was."""
    data = _read(log) or b""
    start = data.rstrip(b"\n").rfind(b"\n") + 1
    if new and data[start:].startswith(f"{old or _ZERO} {new} ".encode()):
        os.truncate(log, start)
