"""`gitmail setup HOST`: put gitmail into an agent host's settings, or take it out again."""

from __future__ import annotations

import secrets
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gitmail.board.identity import AGENT_KEY
from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.errors import Refused
from gitmail.git.project import SETUP_AGENT_KEY, Project, set_project_config
from gitmail.store.notice import Notice
from gitmail.values.names import check_agent_name, fold, fresh_name

if TYPE_CHECKING:
    from gitmail_hooks.setup.edits import FileEdit
    from gitmail_hooks.setup.shapes import Scope

HOSTS = ("claude", "codex", "gemini", "cursor", "vscode")
_TRIES = 200


@gitmail_command("setup")
@click.argument("host", type=click.Choice(HOSTS))
@click.option("--user", is_flag=True, help="Your own settings, for all projects.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--undo", is_flag=True, help="Take gitmail out again.")
@click.option("--rewake", is_flag=True, help="Also let the end of a turn wait for a ring.")
@click.option("--agent", metavar="NAME", help="This checkout's lasting name [a fresh one].")
def command(
    app: App, host: str, user: bool, dry_run: bool, undo: bool, rewake: bool, agent: str | None
) -> None:
    """Connect an agent host: the MCP server and the hooks, in this project's settings for HOST.

    Everything else in those files stays as it is, a backup is kept, and doing it again changes
    nothing. A project's files name `gitmail` as found on the PATH, your own its absolute path.
    """
    from gitmail_hooks.setup import plan as setup_plan

    scope: Scope = "user" if user else "project"
    top, home = _top(app, scope), app.environ.get("HOME", "")
    if undo:
        edits = setup_plan.plan_undo(host, scope, top, home)
    else:
        words = _command(app, scope)
        edits = setup_plan.plan(host, scope, top, home, words, rewake=rewake)
    name = None if undo else _name(app, scope, agent, look_only=dry_run)
    if not dry_run:
        _carry_out(app, scope, edits, name)
        name = _forget_name(app, scope, top, home) if undo else name
    note = None if undo else setup_plan.notes(host)
    shape = {
        "host": host,
        "scope": scope,
        "changes": [{"file": one.path, "what": one.description} for one in edits],
        "applied": not dry_run,
        "agent": name,
        "note": note,
    }
    app.answer(shape, _lines(edits, dry_run, undo, name, note))


def _top(app: App, scope: Scope) -> str:
    """Return the folder whose settings are meant in a project; "" for the user's."""
    if scope == "user":
        if not app.environ.get("HOME"):
            raise Refused("no_home", "HOME is not set.", "Set HOME, or leave out --user.")
        return ""
    top = app.place.project.top
    if top is None:
        raise Refused(
            "no_checkout",
            "A bare repository has no settings of a host.",
            "Run this in a checkout of the project, or with --user.",
        )
    return str(top)


def _command(app: App, scope: Scope) -> Sequence[str]:
    """Return the words that start gitmail in a host, after trying that they do."""
    from gitmail_hooks.setup.command import check_command

    path = app.environ.get("PATH")
    if scope == "project" and shutil.which("gitmail", path=path):
        check_command(["gitmail"], path)
        return ["gitmail"]
    found = Path(sys.argv[0]).absolute()
    absolute = [str(found)] if found.name == "gitmail" else [sys.executable, "-m", "gitmail"]
    check_command(absolute, path)
    if scope == "project":
        message = f"`gitmail` is not on the PATH, so the settings name {absolute[0]}"
        app.warn(Notice("not_on_path", message))
    return absolute


def _name(app: App, scope: Scope, given: str | None, *, look_only: bool) -> str | None:
    """Return the checkout's name: the one given, the one it has, else a fresh one.

    A dry run makes up none: the next one would be another.
    """
    if given is not None:
        return check_agent_name(given, "agent")
    if scope == "user":
        return None
    known = app.place.project.config.get(AGENT_KEY)
    return known or (None if look_only else _fresh_name(app))


def _fresh_name(app: App) -> str:
    """Make up a name that no agent of the store has."""
    taken: set[str] = set()
    if app.place.exists:
        from gitmail.index.agents import agent_names

        names = app.open_quietly().read(lambda view: agent_names(view.index))
        taken = {fold(name) for name in names}
    made_up = (fresh_name(secrets.choice) for _ in range(_TRIES))
    name = next((one for one in made_up if fold(one) not in taken), None)
    if name is None:
        raise Refused("no_free_name", "No unused name was found.", "Give one with --agent NAME.")
    return name


def _carry_out(app: App, scope: Scope, edits: Sequence[FileEdit], name: str | None) -> None:
    """Write the files, then the checkout's name where it is a new one."""
    from gitmail_hooks.setup.apply import apply

    apply(edits)
    if name is None:
        return
    project = app.place.project
    if project.config.get(AGENT_KEY) == name:
        return
    set_project_config(project, AGENT_KEY, name)
    if scope == "project":
        set_project_config(project, SETUP_AGENT_KEY, name)


def _forget_name(app: App, scope: Scope, top: str, home: str) -> str | None:
    """After the last host is taken out: forget the name that a setup wrote; return what stays."""
    from gitmail_hooks.setup.plan import plan_undo

    if scope == "user":
        return None
    project = app.place.project
    name = project.config.get(AGENT_KEY)
    if name is None or project.config.get(SETUP_AGENT_KEY.lower()) != name:
        return name
    if any(plan_undo(host, scope, top, home) for host in HOSTS):
        return name
    _forget(project)
    return None


def _forget(project: Project) -> None:
    for key in (AGENT_KEY, SETUP_AGENT_KEY):
        set_project_config(project, key, None)


def _lines(
    edits: Sequence[FileEdit], dry_run: bool, undo: bool, name: str | None, note: str | None
) -> list[str]:
    from gitmail_hooks.setup.plan import diff

    lines = [f"{'would ' if dry_run else ''}{one.description}: {one.path}" for one in edits]
    if dry_run:
        lines += [line for one in edits for line in diff(one).splitlines()]
    if not edits:
        lines.append("nothing to take out" if undo else "everything is in place already")
    if name is not None:
        lines.append(f"this checkout's agent {'stays' if undo else 'is'} {name}")
    return [*lines, *([note] if note else [])]
