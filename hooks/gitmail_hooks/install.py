"""Installing and taking away the guard in a code project: a plan first, then the plan is done.

Nothing is overwritten: a hook that is there is kept beside ours, run first, and comes back as it
was. Where the folder is somebody else's, the plan holds the line to add instead of a step.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitmail.errors import Refused
from gitmail.git.hook_places import (
    HooksPlace,
    config_hook_names,
    hooks_place,
    remove_config_hook,
    set_config_hook,
)
from gitmail_hooks.hook_files import keep_beside, read_hook, remove_hook, restore, write_hook
from gitmail_hooks.owners import Owner, explain, maker, ownership
from gitmail_hooks.stubs import (
    ALL_HOOKS,
    GUARD_COMMAND,
    PROJECT_HOOKS,
    config_hook_command,
    is_project_stub,
    is_unchanged,
    kept_name,
    line_to_add,
    project_hook_stub,
)

KEEP = "keep"
WRITE = "write"
RESTORE = "restore"
REMOVE = "remove"
SET_CONFIG = "set_config"
UNSET_CONFIG = "unset_config"


@dataclass(frozen=True, slots=True)
class Step:
    """One change: `action` on the hook `kind` at `path`; `data` is what is written, if anything."""

    action: str
    kind: str
    path: Path
    data: bytes = b""

    def sentence(self) -> str:
        """Say what the step does, for a dry run and for the report afterwards."""
        return {
            KEEP: f"keep {self.path} as {kept_name(self.kind)}, run before the guard",
            WRITE: f"write {self.path}",
            RESTORE: f"put {kept_name(self.kind)} back as {self.path}",
            REMOVE: f"remove {self.path}",
            SET_CONFIG: f"set hook.{_config_name(self.kind)} in {self.path}",
            UNSET_CONFIG: f"unset hook.{_config_name(self.kind)} in {self.path}",
        }[self.action]


@dataclass(frozen=True, slots=True)
class ByHand:
    """A hook that a person has to extend: which file, and the line to add near its top."""

    kind: str
    path: Path
    line: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What installing or uninstalling does, in order, and what is left to a person."""

    steps: tuple[Step, ...] = ()
    by_hand: tuple[ByHand, ...] = ()
    notes: tuple[str, ...] = ()


def install(
    environment: Mapping[str, str],
    cwd: Path,
    interpreter: str,
    *,
    dry_run: bool = False,
    force_local: bool = False,
    in_config: bool = False,
    kinds: Sequence[str] = PROJECT_HOOKS,
) -> Plan:
    """Install the guard for the checkout of `cwd` (all its worktrees); return what was done.

    `force_local` writes into the repository's own hooks folder although the user's configuration
    names another (for a dispatcher that calls it); `in_config` uses hooks in git's configuration.
    Raises Refused `hook_changed`, `hook_kept`, `git_too_old`; NotFound `project_not_found`.
    """
    place = hooks_place(environment, cwd)
    plan = plan_install(
        place, interpreter, force_local=force_local, in_config=in_config, kinds=kinds
    )
    if not dry_run:
        carry_out(plan, environment, cwd)
    return plan


def uninstall(environment: Mapping[str, str], cwd: Path, *, dry_run: bool = False) -> Plan:
    """Take the guard away and put back, byte for byte, what was there; return what was done.

    Raises Refused `hook_changed` before anything is touched; NotFound `project_not_found`.
    """
    place = hooks_place(environment, cwd)
    names = config_hook_names(GUARD_COMMAND, environment, cwd)
    plan = plan_uninstall(place, names)
    if not dry_run:
        carry_out(plan, environment, cwd)
    return plan


def plan_install(
    place: HooksPlace,
    interpreter: str,
    *,
    force_local: bool = False,
    in_config: bool = False,
    kinds: Sequence[str] = PROJECT_HOOKS,
) -> Plan:
    """Decide what to install where; reads the folder, changes nothing. Raises Refused."""
    if in_config:
        return _plan_config(place, interpreter, kinds)
    found = ownership(place)
    folder = place.folder
    if force_local and found.owner in (Owner.USER, Owner.OFF):
        folder = place.default
    elif not found.ours_to_write:
        by_hand = tuple(ByHand(kind, found.scripts / kind, line_to_add(kind)) for kind in kinds)
        hint = (explain(place, found), *_force_note(found.owner))
        return Plan((), () if found.owner is Owner.OFF else by_hand, hint)
    steps: list[Step] = []
    by_hand_here: list[ByHand] = []
    notes: list[str] = []
    for kind in kinds:
        program = _maker_of(folder / kind)
        if program is None:
            steps += _install_one(folder / kind, kind, interpreter)
        else:
            notes.append(f"{folder / kind} is written by {program}, which would undo a change.")
            by_hand_here.append(ByHand(kind, folder / kind, line_to_add(kind)))
    if place.config_hooks and steps:
        notes.append("This git can keep the hooks in its configuration instead: --config.")
    return Plan(tuple(steps), tuple(by_hand_here), tuple(notes))


def plan_uninstall(place: HooksPlace, config_names: Sequence[str] = ()) -> Plan:
    """Decide what to take away, in git's folder and the repository's own. Raises Refused."""
    steps: list[Step] = []
    notes: list[str] = []
    for folder in dict.fromkeys((place.folder, place.default)):
        for kind in ALL_HOOKS:
            here = list(_uninstall_one(folder / kind, kind))
            steps += here
            if not here and (folder / kept_name(kind)).exists():
                notes.append(f"{folder / kept_name(kind)} stays: the hook beside it is not ours.")
    for kind in ALL_HOOKS:
        if _config_name(kind) in config_names:
            steps.append(Step(UNSET_CONFIG, kind, place.common_dir / "config"))
    return Plan(tuple(steps), (), tuple(notes))


def _force_note(owner: Owner) -> Iterator[str]:
    if owner in (Owner.USER, Owner.OFF):
        yield "If hooks there call the repository's own, install into those with --force-local."


def _maker_of(path: Path) -> str | None:
    data = read_hook(path)
    return None if data is None or is_project_stub(data) else maker(data)


def _install_one(path: Path, kind: str, interpreter: str) -> Iterator[Step]:
    """Yield the steps for one hook: none when it is in place, also keeping what was there."""
    wanted = project_hook_stub(kind, interpreter)
    present = read_hook(path)
    if present == wanted and os.access(path, os.X_OK):
        return
    if present is not None and not is_project_stub(present):
        kept = path.with_name(kept_name(kind))
        if kept.is_symlink() or kept.exists():
            raise Refused(
                "hook_kept",
                f"{kept} is left from an earlier installation, and {path} is not gitmail's.",
                "Another program has replaced our hook: delete or merge one of the two first.",
                path=str(kept),
            )
        yield Step(KEEP, kind, path)
    elif present is not None and not is_unchanged(present):
        raise _changed(path)
    yield Step(WRITE, kind, path, wanted)


def _uninstall_one(path: Path, kind: str) -> Iterator[Step]:
    present = read_hook(path)
    if present is None or not is_project_stub(present):
        return
    if not is_unchanged(present):
        raise _changed(path)
    kept = path.with_name(kept_name(kind))
    there = kept.is_symlink() or kept.exists()
    yield Step(RESTORE if there else REMOVE, kind, path)


def _changed(path: Path) -> Refused:
    return Refused(
        "hook_changed",
        f"{path} was written by gitmail and has been changed since.",
        "Move the lines that were added into a hook of their own, delete the file, try again.",
        path=str(path),
    )


def _config_name(kind: str) -> str:
    return f"{GUARD_COMMAND}-{kind}"


def _plan_config(place: HooksPlace, interpreter: str, kinds: Sequence[str]) -> Plan:
    if not place.config_hooks:
        raise Refused(
            "git_too_old",
            "This git does not run hooks from its configuration (2.54 and newer do).",
            "Install without --config: the hooks are then files.",
        )
    config = place.common_dir / "config"
    return Plan(
        tuple(
            Step(SET_CONFIG, kind, config, config_hook_command(kind, interpreter).encode())
            for kind in kinds
        )
    )


def carry_out(plan: Plan, environment: Mapping[str, str], cwd: Path) -> None:
    """Do the steps of a plan in order; each is done whole or not at all. Raises OSError."""
    for step in plan.steps:
        if step.action == KEEP:
            keep_beside(step.path, kept_name(step.kind))
        elif step.action == WRITE:
            write_hook(step.path, step.data)
        elif step.action == RESTORE:
            restore(step.path, kept_name(step.kind))
        elif step.action == REMOVE:
            remove_hook(step.path)
        elif step.action == SET_CONFIG:
            name, command = _config_name(step.kind), step.data.decode()
            set_config_hook(name, step.kind, command, environment, cwd)
        elif step.action == UNSET_CONFIG:
            remove_config_hook(_config_name(step.kind), environment, cwd)
