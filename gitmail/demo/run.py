"""The demo from curtain to curtain: set the stage, play every step, check, show, tell."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitmail.demo.blocked import blocked_commit
from gitmail.demo.checks import run_checks
from gitmail.demo.failure import DemoFailed
from gitmail.demo.players import call, seated
from gitmail.demo.references import differences, resolve
from gitmail.demo.report import Outcome, Reporter
from gitmail.demo.sample import sample_script
from gitmail.demo.script import PROJECT, Script, Step
from gitmail.demo.show import sections
from gitmail.demo.stage import Stage, build_stage, commits, gitmail, new_folder, open_store
from gitmail.errors import GitmailError

if TYPE_CHECKING:
    from mcp.client import Client


def run_demo(target: Path | None, reporter: Reporter, environ: Mapping[str, str]) -> int:
    """Play the sample's correspondence in a fresh folder and return the exit code: 0 or 1.

    `target` is absent or an empty folder (None: a new one in the system's temp folder); it is
    left for looking around, also after a failure. `environ` is the caller's environment, of which
    the demo's programs see little. Everything there is to say goes to `reporter`.
    """
    folder = None
    try:
        script = sample_script()
        folder = new_folder(target)
        reporter.done(_demo(folder, script, reporter, environ))
    except GitmailError as error:
        reporter.failed(error, folder)
        return 1
    return 0


def _demo(folder: Path, script: Script, reporter: Reporter, environ: Mapping[str, str]) -> Outcome:
    import anyio

    started = time.monotonic()
    reporter.note(f"A fresh copy of {script.project}, with a linked worktree, in {folder}")
    stage = build_stage(folder, script, environ)
    reporter.note(f"gitmail init, and {len(script.players)} agents registered")
    open_store(stage, script)
    before = commits(stage)
    saved = anyio.run(_play, script, stage, reporter)
    reporter.note("Checks")
    checks = []
    for text in run_checks(stage, script, before):
        reporter.check(text)
        checks.append(text)
    for section in sections(stage, script, saved):
        reporter.show(section.title, section.lines)
    return Outcome(
        path=str(folder),
        project=str(stage.project),
        worktree=str(stage.worktree),
        store=str(stage.store),
        steps=len(script.steps),
        commits=commits(stage) - before,
        checks=tuple(checks),
        waiting=dict(script.waiting),
        seconds=round(time.monotonic() - started, 3),
    )


async def _play(script: Script, stage: Stage, reporter: Reporter) -> dict[str, Any]:
    reporter.note(f"Starting {len(script.players)} servers: gitmail serve, over stdio")
    saved: dict[str, Any] = {PROJECT: {"path": str(stage.project)}}
    problem: GitmailError | None = None
    try:
        async with seated(script, stage) as clients:
            for step in script.steps:
                began = time.monotonic()
                await _step(step, script, stage, clients, saved)
                spent = (time.monotonic() - began) * 1000
                reporter.step(step.number, len(script.steps), step.say, spent)
            await _waiting_as_told(script, stage, clients)
    except* GitmailError as group:
        # The clients' task groups wrap what is raised within them, once for each client.
        problem = _innermost(group)
    if problem is not None:
        raise problem
    return saved


def _innermost(group: ExceptionGroup[GitmailError]) -> GitmailError:
    first = group.exceptions[0]
    return _innermost(first) if isinstance(first, ExceptionGroup) else first


async def _step(
    step: Step,
    script: Script,
    stage: Stage,
    clients: Mapping[str, Client],
    saved: dict[str, Any],
) -> None:
    before = commits(stage)
    try:
        sent = resolve(step.sent(), saved)
        result = await _act(step, sent, script, stage, clients)
        problems = differences(result, resolve(step.expect, saved))
    except LookupError as error:
        raise _failed(step, str(error)) from error
    except GitmailError as error:
        raise _failed(step, error.message) from error
    moved = commits(stage) - before
    if moved != step.commits:
        problems.append(f"the store's main moved by {moved} commits (expected {step.commits})")
    if problems:
        raise _failed(step, "the result is not as expected", problems)
    if step.save is not None:
        saved[step.save] = result | {"sent": sent}


async def _act(
    step: Step,
    sent: Mapping[str, Any],
    script: Script,
    stage: Stage,
    clients: Mapping[str, Client],
) -> dict[str, Any]:
    if step.tool is not None:
        return await call(clients[step.agent], step.tool, sent)
    if step.commit is not None:
        return blocked_commit(stage, script.player(step.agent), sent["commit"])
    return {"printed": gitmail(stage, stage.project, sent["command"], sent["stdin"])}


async def _waiting_as_told(script: Script, stage: Stage, clients: Mapping[str, Client]) -> None:
    for name, client in clients.items():
        desk = {"project_key": str(stage.project), "agent_name": name, "limit": 1}
        result = await call(client, "fetch_inbox", desk)
        problems = differences(result, {"waiting": script.waiting[name]})
        if problems:
            raise DemoFailed(f"After the last step, {name} is told otherwise.", problems=problems)


def _failed(step: Step, reason: str, problems: list[str] | None = None) -> DemoFailed:
    return DemoFailed(
        f"Step {step.number} ({step.say}): {reason.rstrip('.')}.",
        "The servers' standard error is beside the project, one log for each agent.",
        step=step.number,
        problems=problems or [],
    )
