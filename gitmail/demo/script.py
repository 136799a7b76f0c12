"""A correspondence as data: reading correspondence.toml into values, pure.

The file's own head comment describes its keys. A script that loads has no undefined reference, no
unknown key and no step of an unknown agent: what can be wrong before playing is found before it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitmail.demo.references import names_in
from gitmail.errors import InvalidInput

PROJECT = "project"
_STEP_KEYS = frozenset(
    ("say", "agent", "tool", "arguments", "command", "stdin", "commit", "save", "commits", "expect")
)


@dataclass(frozen=True, slots=True)
class Player:
    """An agent of the correspondence; works in `checkout` (main or worktree).

    `era` is how its client meets the server: auto, or legacy for the older MCP handshake.
    """

    name: str
    checkout: str
    program: str
    model: str
    task: str
    era: str = "auto"


@dataclass(frozen=True, slots=True)
class Person:
    """The person whose machine it is: their git identity and the name of their mailbox."""

    name: str
    mailbox: str
    email: str


@dataclass(frozen=True, slots=True)
class Step:
    """One act: an MCP tool with arguments, a command with standard input, or a stopped commit.

    `commit` is the file of the code project whose commit the guard has to stop.
    `commits` is how often the store's main has to move; `expect` maps paths to values.
    """

    number: int
    say: str
    agent: str
    tool: str | None
    arguments: Mapping[str, Any]
    command: tuple[str, ...]
    stdin: str
    save: str | None
    commits: int
    expect: Mapping[str, Any]
    commit: str | None = None

    def sent(self) -> dict[str, Any]:
        """Return what `$name.sent` stands for, references not yet resolved."""
        if self.commit is not None:
            return {"commit": self.commit}
        if self.tool is None:
            return {"command": list(self.command), "stdin": self.stdin}
        return dict(self.arguments)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What to look at in the end, by the names under which results were saved.

    A letter in its owner's mailbox, a result of fetch_inbox, a commit that was stopped.
    """

    owner: str
    letter: str
    answer: str
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A whole correspondence. `waiting` is the number of unhandled letters left in each mailbox."""

    project: str
    branch: str
    person: Person
    players: tuple[Player, ...]
    steps: tuple[Step, ...]
    waiting: Mapping[str, int]
    exhibit: Exhibit

    def player(self, name: str) -> Player:
        """Return the player of that name; a script that loads names no other."""
        return next(player for player in self.players if player.name == name)


def load_script(data: bytes, file: str) -> Script:
    """Read a correspondence; `file` names it in errors.

    Raises InvalidInput `invalid_correspondence` with the step's number where one is to blame.
    """
    try:
        table = tomllib.loads(data.decode())
        script = _script(table)
    except (KeyError, TypeError, ValueError) as error:
        problem = f"missing key {error}" if isinstance(error, KeyError) else str(error)
        raise _invalid(file, problem) from error
    broken = _broken_promise(script)
    if broken is not None:
        raise _invalid(file, broken)
    return script


def _script(table: Mapping[str, Any]) -> Script:
    project = table["project"]
    return Script(
        project=project["name"],
        branch=project["branch"],
        person=Person(**project["person"]),
        players=tuple(Player(**player) for player in table["agents"]),
        steps=tuple(_step(number, step) for number, step in enumerate(table["steps"], start=1)),
        waiting=table["waiting"],
        exhibit=Exhibit(**table["show"]),
    )


def _step(number: int, table: Mapping[str, Any]) -> Step:
    unknown = sorted(table.keys() - _STEP_KEYS)
    if unknown:
        raise ValueError(f"step {number}: unknown key {unknown[0]!r}")
    if len(table.keys() & {"tool", "command", "commit"}) != 1:
        raise ValueError(f"step {number}: one of tool, command and commit")
    return Step(
        number=number,
        say=table["say"],
        agent=table["agent"],
        tool=table.get("tool"),
        arguments=table.get("arguments", {}),
        command=tuple(table.get("command", ())),
        stdin=table.get("stdin", ""),
        save=table.get("save"),
        commits=table.get("commits", 1),
        expect=table.get("expect", {}),
        commit=table.get("commit"),
    )


def _broken_promise(script: Script) -> str | None:
    players = {player.name for player in script.players}
    known = {PROJECT}
    for step in script.steps:
        actors = {script.person.mailbox} if step.command else players
        if step.agent not in actors:
            return f"step {step.number}: {step.agent} is not who can act like that"
        undefined = set(names_in([step.sent(), step.expect])) - known
        if undefined:
            return f"step {step.number}: nothing was saved as {min(undefined)!r} before it"
        if step.save in known:
            return f"step {step.number}: {step.save!r} is saved twice"
        known |= {step.save} if step.save else set()
    exhibit = script.exhibit
    shown = {exhibit.answer} | ({exhibit.stopped} if exhibit.stopped is not None else set())
    undefined = set(names_in(exhibit.letter)) | shown
    return f"show: nothing is saved as {min(undefined - known)!r}" if undefined - known else None


def _invalid(file: str, problem: str) -> InvalidInput:
    return InvalidInput(
        "invalid_correspondence",
        f"{file}: {problem}",
        "The comment at the top of sample_repo/correspondence.toml describes its keys.",
    )
