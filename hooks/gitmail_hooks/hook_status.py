"""Whether the guard really runs: git is asked to run the hook, and the guard has to answer.

A hook can be in its place and never run (not executable, core.hooksPath elsewhere, interpreter
gone), so a file proves nothing. Foreign hooks are run only where our line is their first command,
for then the guard answers and nothing else of them happens.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gitmail.git.hook_places import HooksPlace, config_hook_names, hooks_place, run_hook
from gitmail_hooks.hook_files import read_hook
from gitmail_hooks.owners import Owner, Ownership, explain, ownership
from gitmail_hooks.stubs import (
    ALL_HOOKS,
    GUARD_COMMAND,
    PROBE_VARIABLE,
    PROJECT_HOOKS,
    is_project_stub,
    is_unchanged,
    kept_name,
    line_to_add,
)

ACTIVE = "active"
BROKEN = "broken"
UNPROVEN = "unproven"
IGNORED = "ignored"
ABSENT = "absent"

_TIMEOUT = 20.0


@dataclass(frozen=True, slots=True)
class HookStatus:
    """How one hook stands.

    `state`: `active` (git ran it and the guard answered), `broken` (in place, no answer),
    `unproven` (our line is there, but other commands stand before it), `ignored` (installed where
    git does not look), `absent`. `add` is the line to add by hand where that is the way. `kept`
    is the hook that was there before.
    """

    kind: str
    state: str
    path: Path
    detail: str
    add: str | None = None
    kept: Path | None = None

    @property
    def optional(self) -> bool:
        """True for a hook that need not be there for the guard to be complete."""
        return self.kind not in PROJECT_HOOKS


def status(environment: Mapping[str, str], cwd: Path) -> list[HookStatus]:
    """Return how the guard's hooks stand in the checkout of `cwd`, each one run to see.

    An optional one that is not there is left out.
    Raises NotFound `project_not_found`, StoreUnavailable.
    """
    place = hooks_place(environment, cwd)
    names = config_hook_names(GUARD_COMMAND, environment, cwd) if place.config_hooks else []
    found = [_status(kind, place, names, environment) for kind in ALL_HOOKS]
    return [one for one in found if one.state != ABSENT or not one.optional]


def _status(
    kind: str, place: HooksPlace, config_names: list[str], environment: Mapping[str, str]
) -> HookStatus:
    found = ownership(place)
    path = place.folder / kind
    kept = path.with_name(kept_name(kind))
    if f"{GUARD_COMMAND}-{kind}" in config_names:
        state, detail = _proof(kind, place, environment)
        return HookStatus(kind, state, place.common_dir / "config", detail)
    if is_project_stub(read_hook(path) or b""):
        state, detail = _proof(kind, place, environment)
        if not is_unchanged(read_hook(path) or b""):
            detail += " It has been changed since it was installed."
        return HookStatus(kind, state, path, detail, kept=kept if kept.exists() else None)
    return _foreign(kind, place, found, environment)


def _foreign(
    kind: str, place: HooksPlace, found: Ownership, environment: Mapping[str, str]
) -> HookStatus:
    """Judge a hook that is not ours: does our line, or the repository's own hook, run in it?"""
    script = found.scripts / kind
    own = place.default / kind
    installed = place.folder != place.default and is_project_stub(read_hook(own) or b"")
    add = None if found.ours_to_write and read_hook(script) is None else line_to_add(kind)
    first = _stands_first(read_hook(script) or b"", kind)
    if first or (installed and found.owner is Owner.USER):
        state, detail = _proof(kind, place, environment)
        if state == ACTIVE:
            return HookStatus(kind, ACTIVE, script if first else own, detail)
        if first:
            return HookStatus(kind, state, script, detail)
    if first is False:
        detail = "Our line is there, after other commands; move it to the top to have it proven."
        return HookStatus(kind, UNPROVEN, script, detail)
    if installed:
        return HookStatus(kind, IGNORED, own, f"git does not run it. {explain(place, found)}", add)
    if found.ours_to_write:
        detail = "Another hook is here." if add else "No hook is here."
        return HookStatus(kind, ABSENT, script, detail)
    return HookStatus(kind, ABSENT, script, explain(place, found), add)


def _stands_first(script: bytes, kind: str) -> bool | None:
    """Whether our line is the first command of a script; None where it is not in it at all."""
    wanted = f"{GUARD_COMMAND} {kind}"
    ours = line_to_add(kind).splitlines()[0]
    lines = [line.strip() for line in script.decode("utf-8", "replace").splitlines()]
    if not any(wanted in line for line in lines if not line.startswith("#")):
        return None
    commands = [line for line in lines if line and not line.startswith("#")]
    return commands[0] in (ours, '. "$(dirname -- "$0")/_/husky.sh"') and ours in commands[:2]


def _proof(kind: str, place: HooksPlace, environment: Mapping[str, str]) -> tuple[str, str]:
    """Run the hook with a fresh word that only our guard repeats."""
    word = secrets.token_hex(8)
    done = run_hook(kind, place, {**environment, PROBE_VARIABLE: word}, _TIMEOUT)
    said = done.stderr.decode("utf-8", "replace")
    if f"{GUARD_COMMAND} {kind} {word}" in said:
        return ACTIVE, "git ran it and the guard answered."
    words = " ".join(said.split())[:200] or "it said nothing"
    return BROKEN, f"git ran it and the guard did not answer: {words}"
