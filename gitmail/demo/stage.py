"""The stage of a demo: a code project under git, a linked worktree, and its gitmail store."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitmail.demo.failure import DemoFailed
from gitmail.demo.sample import copy_sample
from gitmail.demo.script import Player, Script
from gitmail.git import process

_KEPT = frozenset(
    ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
)
_COMMAND_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a demo plays. `environment` is what every program of it is started with."""

    top: Path
    project: Path
    worktree: Path
    environment: Mapping[str, str]

    @property
    def store(self) -> Path:
        """The store's top folder (docs/architecture.md: inside the project's git directory)."""
        return self.project / ".git" / "gitmail"

    def checkout(self, player: Player) -> Path:
        """Return the folder a player works in."""
        return self.worktree if player.checkout == "worktree" else self.project

    def log_of(self, player: Player) -> Path:
        """Return where a player's server writes its standard error."""
        return self.top / f"{player.name}.log"


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a demo's programs inherit: no GIT_*, no GITMAIL_*, and this Python's modules."""
    kept = {key: value for key, value in environ.items() if key in _KEPT}
    return kept | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def new_folder(target: Path | None) -> Path:
    """Return an empty folder for the demo: `target`, else a new one in the system's temp folder.

    Raises DemoFailed when `target` holds something already or cannot be made.
    """
    if target is None:
        return Path(tempfile.mkdtemp(prefix="gitmail-demo-")).resolve()
    try:
        target.mkdir(parents=True, exist_ok=True)
        occupied = next(target.iterdir(), None)
    except OSError as error:
        raise DemoFailed(f"{target} cannot be used: {error.strerror}.") from error
    if occupied is not None:
        raise DemoFailed(
            f"{target} is not empty (it holds {occupied.name}).",
            "Name a folder that does not exist yet; the demo overwrites nothing.",
        )
    return target.resolve()


def build_stage(top: Path, script: Script, environ: Mapping[str, str]) -> Stage:
    """Copy the sample into `top`, commit it, and link a worktree on the script's branch.

    Raises StoreUnavailable when git does not work here.
    """
    stage = Stage(
        top=top,
        project=top / script.project,
        worktree=top / f"{script.project}-{script.branch}",
        environment=clean_environment(environ),
    )
    copy_sample(stage.project)
    git(stage, stage.project, "init", "--quiet", "--template=", "-b", "main")
    for key, value in (
        ("user.name", script.person.name),
        ("user.email", script.person.email),
        ("core.hooksPath", str(stage.project / ".git" / "hooks")),  # never the user's
        ("core.autocrlf", "false"),
        ("commit.gpgSign", "false"),
    ):
        git(stage, stage.project, "config", key, value)
    git(stage, stage.project, "add", "--all")
    git(stage, stage.project, "commit", "--quiet", "-m", f"{script.project}: the first release")
    git(stage, stage.project, "worktree", "add", "-q", "-b", script.branch, str(stage.worktree))
    return stage


def open_store(stage: Stage, script: Script) -> None:
    """Run `gitmail init` and register every player, as a person would at a shell."""
    gitmail(stage, stage.project, ["init"])
    for player in script.players:
        profile = ["--program", player.program, "--model", player.model, "--task", player.task]
        gitmail(stage, stage.checkout(player), ["register", player.name, *profile])


def gitmail(stage: Stage, folder: Path, arguments: Sequence[str], stdin: str = "") -> str:
    """Run one `gitmail` command in `folder` and return what it printed.

    Raises DemoFailed with the command's own words when its exit code is not 0.
    """
    shown = f"gitmail {arguments[0]}"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gitmail", *arguments],
            cwd=folder,
            env=dict(stage.environment),
            input=stdin.encode(),
            capture_output=True,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DemoFailed(f"{shown} did not end within {_COMMAND_SECONDS} s.") from error
    if done.returncode != 0:
        words = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise DemoFailed(
            f"{shown} ended with code {done.returncode}: {words or 'no words'}",
            f"It ran in {folder}.",
            command=["gitmail", *arguments],
        )
    return done.stdout.decode(errors="replace")


def commits(stage: Stage) -> int:
    """Return how many commits the store's main has."""
    return int(git(stage, stage.store, "rev-list", "--count", "main"))


def git(stage: Stage, folder: Path, *arguments: str) -> str:
    """Run plain git at the top `folder` of a checkout or a store; return what it printed.

    Raises StoreUnavailable with git's own words.
    """
    new = arguments[0] == "init"
    git_dir = None if new else folder / ".git"
    said = process.run(arguments, git_dir=git_dir, cwd=folder, environ=stage.environment)
    return said.decode(errors="replace")
