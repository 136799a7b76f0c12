"""The only place that starts git.

Arguments are lists (no shell), the environment is made by `environment`, stdin is closed unless
there is input, and `--git-dir` is always given where a repository is known: with discovery, a
missing store inside `.git` would let git answer for the code project instead.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gitmail.errors import StoreUnavailable
from gitmail.git.environment import git_environment

MINIMUM_GIT = (2, 31)
_DANGEROUS = {
    # The user's hooks, signing, helpers, pagers and background work have no place here.
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "core.pager": "cat",
    "commit.gpgSign": "false",
    "log.showSignature": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "color.ui": "false",
}
OPTIONS: tuple[str, ...] = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *(word for key, value in _DANGEROUS.items() for word in ("-c", f"{key}={value}")),
)


@dataclass(frozen=True, slots=True)
class Completed:
    """How a git process ended and what it said."""

    returncode: int
    stdout: bytes
    stderr: bytes


def inherited() -> dict[str, str]:
    """Return this process's environment as the base for git's.

    The one exception to "only entry points read the environment": PATH, HOME and the like must
    reach git, and threading them through every read would say nothing more.
    """
    return dict(os.environ)


def command_line(args: Sequence[str], git_dir: Path | None) -> list[str]:
    """Return the full argument list for the git command `args` (verb first)."""
    where = [f"--git-dir={git_dir.absolute()}"] if git_dir is not None else []
    return ["git", *OPTIONS, *where, *args]


def start(
    args: Sequence[str],
    *,
    git_dir: Path | None,
    cwd: Path | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    quarantine: bool = False,
    environ: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start git and return the process; the caller reads, waits and closes.

    It runs in a process group of its own, so that Ctrl-C at the terminal ends us in our own way
    and `end` reaches git's children. Raises StoreUnavailable `git_missing`.
    """
    base = inherited() if environ is None else environ
    try:
        return subprocess.Popen(
            command_line(args, git_dir),
            cwd=cwd or git_dir,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=git_environment(base, quarantine),
            close_fds=True,
            pass_fds=tuple(pass_fds),
            process_group=0,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        missing = cwd or git_dir
        if missing is not None and not missing.is_dir():
            raise StoreUnavailable(
                "store_missing", f"There is no folder {missing}.", path=str(missing)
            ) from error
        raise _git_missing("The program `git` was not found on PATH.") from error


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that `start` made, with its children, and collect it. Idempotent."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def try_run(
    args: Sequence[str],
    *,
    git_dir: Path | None,
    cwd: Path | None = None,
    input: bytes | None = None,
    quarantine: bool = False,
    timeout: float | None = 60.0,
    environ: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> Completed:
    """Run git to its end, whatever its exit status.

    Raises StoreUnavailable: `git_missing`, or `git_timeout` after `timeout` seconds.
    """
    process = start(
        args,
        git_dir=git_dir,
        cwd=cwd,
        stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
        stderr=subprocess.PIPE,
        quarantine=quarantine,
        environ=environ,
        pass_fds=pass_fds,
    )
    try:
        stdout, stderr = process.communicate(input, timeout)
    except subprocess.TimeoutExpired as error:
        raise StoreUnavailable(
            "git_timeout", f"`git {args[0]}` did not finish within {timeout:g} s.", verb=args[0]
        ) from error
    finally:
        end(process)
    return Completed(process.returncode, stdout, stderr)


def run(
    args: Sequence[str],
    *,
    git_dir: Path | None,
    cwd: Path | None = None,
    input: bytes | None = None,
    quarantine: bool = False,
    timeout: float | None = 60.0,
    environ: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> bytes:
    """Run git and return its standard output.

    Raises StoreUnavailable: `git_missing`, `git_timeout`, `dubious_ownership`, `git_failed`.
    """
    done = try_run(
        args,
        git_dir=git_dir,
        cwd=cwd,
        input=input,
        quarantine=quarantine,
        timeout=timeout,
        environ=environ,
        pass_fds=pass_fds,
    )
    if done.returncode != 0:
        raise failure(args[0], done.stderr, done.returncode)
    return done.stdout


def failure(verb: str, stderr: bytes, returncode: int) -> StoreUnavailable:
    """Return the error for a git command that failed, in git's own words."""
    words = stderr.decode("utf-8", "replace").strip()
    if "dubious ownership" in words:
        return StoreUnavailable(
            "dubious_ownership",
            words.splitlines()[0].removeprefix("fatal: "),
            "If you trust this folder, run the `git config --global --add safe.directory` line "
            "that git names.",
            git=words,
        )
    if (too_old := _too_old()) is not None:
        return too_old
    said = " ".join(line.strip() for line in words.splitlines()[:3]) or "no reason given"
    return StoreUnavailable(
        "git_failed",
        f"`git {verb}` failed with status {returncode}: {said}",
        verb=verb,
        status=returncode,
    )


def git_version() -> tuple[int, ...]:
    """Return git's version as numbers, for example (2, 39, 5). Raises `git_missing`."""
    done = try_run(["version"], git_dir=None, timeout=20.0)
    words = done.stdout.decode("ascii", "replace").split()
    numbers = words[2].split(".") if len(words) > 2 else []
    return tuple(int(number) for number in numbers[:3] if number.isdigit())


def require_git() -> None:
    """Refuse a git that is missing or older than `MINIMUM_GIT` with `git_missing`."""
    if (error := _too_old()) is not None:
        raise error


def _too_old() -> StoreUnavailable | None:
    version = git_version()
    if version >= MINIMUM_GIT:
        return None
    found = ".".join(map(str, version)) or "unknown"
    return _git_missing(f"git {found} is too old: gitmail needs {MINIMUM_GIT[0]}.{MINIMUM_GIT[1]}.")


def _git_missing(message: str) -> StoreUnavailable:
    least = ".".join(map(str, MINIMUM_GIT))
    return StoreUnavailable("git_missing", message, f"Install git {least} or newer.")
