"""git as the person has it, for questions about the code project: its hooks, index and pushes.

`process` starts git for the store and takes the user's hooks, config overrides and every `GIT_*`
away. Here they are the very thing that is asked about: core.hooksPath decides where hooks live,
and inside a hook GIT_INDEX_FILE names what is being committed. So the caller's environment is
passed on as it is, and the caller (an entry point) decides what that is.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from gitmail.errors import StoreUnavailable
from gitmail.git.process import Completed, failure

_OPTIONS = ("--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false")
_FIXED = {"LC_ALL": "C.UTF-8", "GIT_OPTIONAL_LOCKS": "0"}
_TIMEOUT = 60.0


def try_ask(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path,
    stdin: bytes = b"",
    timeout: float = _TIMEOUT,
) -> Completed:
    """Run git (verb first) to its end, whatever its exit status.

    Raises StoreUnavailable `git_missing`, or `git_timeout` after `timeout` seconds.
    """
    try:
        done = subprocess.run(
            ["git", *_OPTIONS, *arguments],
            cwd=cwd,
            env={**environment, **_FIXED},
            input=stdin,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        raise StoreUnavailable("git_missing", "The program `git` was not found on PATH.") from error
    except subprocess.TimeoutExpired as error:
        raise StoreUnavailable(
            "git_timeout", f"`git {arguments[0]}` did not finish within {timeout:g} s."
        ) from error
    return Completed(done.returncode, done.stdout, done.stderr)


def ask(
    arguments: Sequence[str], environment: Mapping[str, str], cwd: Path, stdin: bytes = b""
) -> bytes:
    """Run git and return its standard output.

    Raises StoreUnavailable: `git_missing`, `git_timeout`, `dubious_ownership`, `git_failed`.
    """
    done = try_ask(arguments, environment, cwd, stdin)
    if done.returncode != 0:
        raise failure(arguments[0], done.stderr, done.returncode)
    return done.stdout


def one_line(output: bytes) -> str:
    """Return output of one line (a path, an id) as text; any bytes survive (surrogateescape)."""
    return output.decode("utf-8", "surrogateescape").removesuffix("\n")
