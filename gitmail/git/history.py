"""Reading history at a person's pace, with GitPython.

GitPython starts git with the process's whole environment and cannot leave a variable out, so the
commands of this facade go through `process` like every other. GitPython is imported when first
used: it costs more than a hook may take.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gitmail.errors import StoreUnavailable
from gitmail.git import process
from gitmail.values.sentences import parse_trailers

if TYPE_CHECKING:
    import git


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit for people: `when` is in UTC, `trailers` maps a key to its values."""

    sha: str
    author: str
    when: datetime
    subject: str
    body: str
    trailers: Mapping[str, list[str]]


def log(
    git_dir: Path,
    limit: int = 20,
    *,
    author: str | None = None,
    paths: Sequence[str] = (),
    grep: str | None = None,
) -> list[LogEntry]:
    """Return the newest commits of main, newest first, at most `limit`.

    `author` and `grep` are taken literally and select by the author's name or address and by the
    message; `paths` by what was changed. A store without commits has none. Raises
    StoreUnavailable `git_missing` or `git_failed`.
    """
    library = _library()
    options: dict[str, Any] = {"max_count": limit}
    if author is not None:
        options |= {"author": author, "fixed_strings": True}
    if grep is not None:
        options |= {"grep": grep, "fixed_strings": True}
    try:
        with _repo_class()(git_dir) as repo:
            commits = repo.iter_commits("refs/heads/main", list(paths), **options)
            return [_entry(commit) for commit in commits]
    except library.GitCommandNotFound as error:
        raise StoreUnavailable("git_missing", "The program `git` was not found.") from error
    except library.GitCommandError as error:
        if b"unknown revision" in _bytes(error.stderr) or b"bad revision" in _bytes(error.stderr):
            return []
        raise process.failure("rev-list", _bytes(error.stderr), int(error.status or 0)) from error


def _entry(commit: git.Commit) -> LogEntry:
    message = commit.message
    text = message if isinstance(message, str) else message.decode("utf-8", "replace")
    subject, _, body = text.strip("\n").partition("\n")
    return LogEntry(
        sha=commit.hexsha,
        author=commit.author.name or "",
        when=datetime.fromtimestamp(commit.authored_date, UTC),
        subject=subject,
        body=body.strip("\n"),
        trailers=parse_trailers(text),
    )


def _bytes(text: object) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "replace")


def _library() -> ModuleType:
    try:
        return import_module("git")
    except ImportError as error:  # GitPython looks for git when it is imported
        raise StoreUnavailable("git_missing", f"GitPython cannot start git: {error}") from error


@cache
def _repo_class() -> type[git.Repo]:
    """Make the classes on first use, since their bases are imported on first use."""
    import git

    class StoreGit(git.Git):
        """GitPython's command runner, with our environment, options and `--git-dir`."""

        def execute(  # type: ignore[override]
            self,
            command: Sequence[str],
            istream: int | None = None,
            with_extended_output: bool = False,
            with_exceptions: bool = True,
            as_process: bool = False,
            stdout_as_string: bool = True,
            **_: Any,
        ) -> Any:
            args = [str(word) for word in command[1:]]
            git_dir = Path(self.working_dir or "")
            if as_process:
                started = process.start(
                    args,
                    git_dir=git_dir,
                    stdin=istream or subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
                return self.AutoInterrupt(started, command)
            done = process.try_run(args, git_dir=git_dir)
            if with_exceptions and done.returncode != 0:
                raise git.GitCommandError(list(command), done.returncode, done.stderr, done.stdout)
            out = done.stdout.removesuffix(b"\n")
            said = out.decode("utf-8", "surrogateescape") if stdout_as_string else out
            if with_extended_output:
                return done.returncode, said, done.stderr.decode("utf-8", "replace")
            return said

    class StoreRepo(git.Repo):
        """The store as GitPython sees it."""

        GitCommandWrapperType = StoreGit

    return StoreRepo
