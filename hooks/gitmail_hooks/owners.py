"""Whose a hooks folder is: gitmail writes only into one that belongs to this checkout alone.

A folder in the work tree is the team's (it is committed, or a manager such as Husky makes it
anew), one named by the user's or the system's configuration serves every repository.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gitmail.git.hook_places import HooksPlace

_MAKERS = {
    b"lefthook": "lefthook",
    b"overcommit": "Overcommit",
    b"simple-git-hooks": "simple-git-hooks",
    b"SKIP_SIMPLE_GIT_HOOKS": "simple-git-hooks",
}
"""Programs that write hooks into .git/hooks and put theirs back over whatever they find there."""


class Owner(StrEnum):
    """Who decides what is in the folder where git looks for hooks."""

    CHECKOUT = "checkout"
    TEAM = "team"
    HUSKY = "husky"
    USER = "user"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Ownership:
    """The owner of a hooks folder, and the folder whose files a person edits."""

    owner: Owner
    scripts: Path

    @property
    def ours_to_write(self) -> bool:
        """True when a hook may be installed there without asking anybody else."""
        return self.owner is Owner.CHECKOUT


def ownership(place: HooksPlace) -> Ownership:
    """Decide from core.hooksPath and from where the folder really is, links followed."""
    if place.value in ("", "/dev/null"):
        return Ownership(Owner.OFF, place.default)
    if place.value is not None and place.scope not in ("local", "worktree"):
        return Ownership(Owner.USER, place.folder)
    real = place.folder.resolve()
    if real.is_relative_to(place.common_dir.resolve()):
        return Ownership(Owner.CHECKOUT, place.folder)
    if ".husky" in place.folder.parts:
        generated = place.folder.name == "_"
        return Ownership(Owner.HUSKY, place.folder.parent if generated else place.folder)
    return Ownership(Owner.TEAM, place.folder)


def maker(hook: bytes) -> str | None:
    """Return the program that wrote a hook and will write it again, None for any other."""
    return next((name for mark, name in _MAKERS.items() if mark in hook), None)


def explain(place: HooksPlace, found: Ownership) -> str:
    """Say in one sentence why the hooks folder is not gitmail's to write."""
    setting = f"core.hooksPath ({place.scope}) is {place.value}"
    return {
        Owner.CHECKOUT: f"Hooks are in {place.folder}.",
        Owner.TEAM: f"{setting}: a folder that is not this checkout's alone.",
        Owner.HUSKY: f"{setting}: Husky makes that folder.",
        Owner.USER: f"{setting}: it serves every repository of this user or machine.",
        Owner.OFF: f"{setting or 'empty'}, so git runs no hooks here at all.",
    }[found.owner]
