"""`gitmail hooks`: the guard's git hooks in this project. Nothing is installed unless asked for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command

if TYPE_CHECKING:
    from gitmail_hooks.hook_status import HookStatus
    from gitmail_hooks.install import Plan

NOT_ACTIVE = 1
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Only say what would be done.")


@gitmail_command("install")
@_DRY_RUN
@click.option("--commit-msg", is_flag=True, help="Also the trailer Gitmail-Thread in messages.")
@click.option("--force-local", is_flag=True, help="Into .git/hooks although git looks elsewhere.")
@click.option("--config", "in_config", is_flag=True, help="As hooks in git's configuration.")
def install_command(
    app: App, dry_run: bool, commit_msg: bool, force_local: bool, in_config: bool
) -> int:
    """Install the guard as pre-commit and pre-push hook of this project.

    A hook that is there is kept and run first. Where another program or the team owns the hooks,
    the line to add is printed instead (exit code 1).
    """
    from gitmail_hooks.install import install
    from gitmail_hooks.stubs import COMMIT_MSG, PROJECT_HOOKS

    plan = install(
        app.environ,
        app.folder,
        sys.executable,
        dry_run=dry_run,
        force_local=force_local,
        in_config=in_config,
        kinds=(*PROJECT_HOOKS, COMMIT_MSG) if commit_msg else PROJECT_HOOKS,
    )
    _tell(app, plan, dry_run)
    return NOT_ACTIVE if plan.by_hand or not (plan.steps or _in_place(app)) else 0


@gitmail_command("uninstall")
@_DRY_RUN
def uninstall_command(app: App, dry_run: bool) -> None:
    """Take the guard's hooks away and put back, byte for byte, what was there."""
    from gitmail_hooks.install import uninstall

    _tell(app, uninstall(app.environ, app.folder, dry_run=dry_run), dry_run)


@gitmail_command("status")
def status_command(app: App) -> int:
    """Run each hook through git and say whether the guard answered; exit code 1 if one did not."""
    found = _status(app)
    lines = []
    for one in found:
        lines.append(f"{one.kind}: {one.state}. {one.detail}")
        lines += [f"    {one.path}"] + ([f"    runs first: {one.kept}"] if one.kept else [])
        lines += ["    add near its top:", *_indented(one.add)] if one.add else []
    app.answer({"hooks": [_status_shape(one) for one in found]}, lines)
    return 0 if _all_active(found) else NOT_ACTIVE


command = click.Group(
    "hooks",
    commands=[install_command, status_command, uninstall_command],
    help="Install, prove and take away the guard's git hooks in this project.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _status(app: App) -> list[HookStatus]:
    from gitmail_hooks.hook_status import status

    return status(app.environ, app.folder)


def _in_place(app: App) -> bool:
    return _all_active(_status(app))


def _all_active(found: list[HookStatus]) -> bool:
    return all(one.state == "active" for one in found if not one.optional)


def _tell(app: App, plan: Plan, dry_run: bool) -> None:
    would = "would " if dry_run else ""
    lines = [would + step.sentence() for step in plan.steps]
    lines += plan.notes
    for one in plan.by_hand:
        lines += [f"add near the top of {one.path}:", *_indented(one.line)]
    shape = {
        "dry_run": dry_run,
        "steps": [
            {"action": one.action, "hook": one.kind, "path": str(one.path)} for one in plan.steps
        ],
        "add": [
            {"hook": one.kind, "path": str(one.path), "line": one.line} for one in plan.by_hand
        ],
        "notes": list(plan.notes),
    }
    app.answer(shape, lines or ["nothing to do"])


def _indented(lines: str) -> list[str]:
    return [f"    {line}" for line in lines.splitlines()]


def _status_shape(one: HookStatus) -> dict[str, Any]:
    return {
        "hook": one.kind,
        "state": one.state,
        "path": str(one.path),
        "detail": one.detail,
        "add": one.add,
        "kept": None if one.kept is None else str(one.kept),
    }
