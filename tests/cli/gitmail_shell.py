"""A shell in a project of its own: `gitmail` as a real process, and what tests compare."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 50


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Shell:
    """`shell("inbox", "--json")` runs gitmail in the project's folder."""

    folder: Path
    extra: dict[str, str] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()

    def __call__(
        self,
        *args: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        code: int | None = 0,
    ) -> Done:
        ended = subprocess.run(
            [*self.prefix, sys.executable, "-m", "gitmail", *args],
            cwd=cwd or self.folder,
            env={**os.environ, **self.extra, **(env or {})},
            input=stdin,
            capture_output=True,
            timeout=SECONDS,
        )
        done = Done(
            ended.returncode,
            ended.stdout.decode("utf-8", "surrogateescape"),
            ended.stderr.decode("utf-8", "surrogateescape"),
        )
        assert "Traceback" not in done.err, done.err
        if code is not None:
            assert done.code == code, done
        return done

    def ask(self, *args: str, **options: Any) -> Any:
        """Run with --json and return what was answered."""
        return self(*args, "--json", **options).json

    @property
    def store(self) -> Path:
        return self.folder / ".git" / "gitmail"

    def store_git(self, *args: str) -> str:
        return git(self.store, "--git-dir", str(self.store / ".git"), *args)

    def commits(self) -> int:
        return int(self.store_git("rev-list", "--count", "main"))


def git(folder: Path, *args: str) -> str:
    ended = subprocess.run(
        ["git", *args], cwd=folder, capture_output=True, text=True, check=True, timeout=SECONDS
    )
    return ended.stdout.strip()


def new_project(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "code.py").write_text("print('hello')\n")
    git(folder, "add", "code.py")
    git(folder, "commit", "-q", "-m", "code")
    return folder


def snapshot(folder: Path, without: Sequence[Path] = ()) -> dict[str, str]:
    """Digest every file below a folder: index, refs, config, objects and work tree alike."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if any(path == one or one in path.parents for one in without):
            continue
        if path.is_file() and not path.is_symlink():
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
