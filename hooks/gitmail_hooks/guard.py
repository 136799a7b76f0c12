"""The guard: pre-commit, pre-push and (optional) commit-msg of the code project.

It asks git what is staged (or pushed) with the hook's own variables, clears them for everything
else, asks the store who holds what, and stops only for an exclusive reservation of somebody else.
Whatever goes wrong in here is a warning: a broken guard must not keep anybody from committing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from gitmail.errors import GitmailError
from gitmail.git.environment import strip_process_environment
from gitmail_hooks.leases import Leases, load_leases
from gitmail_hooks.stubs import (
    ALL_HOOKS,
    BLOCKED,
    COMMIT_MSG,
    GUARD_COMMAND,
    PROBE_VARIABLE,
    PROBED,
)

if TYPE_CHECKING:
    from gitmail.reservations.touching import Touched

PASSED = 0
MISUSED = 2
AUTO = "auto"
"""As the kind: find out which hook it is, under a framework that does not say."""


@dataclass(frozen=True, slots=True)
class Call:
    """How git called the hook; `environment` is as git gave it, with its own variables."""

    kind: str
    arguments: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str] = field(repr=False)
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The exit status for git, and what is said on the standard error."""

    status: int
    screen: str


def judge(call: Call, leases: Leases, now: datetime) -> Verdict:
    """Decide one commit or push. Raises StoreUnavailable where git cannot answer."""
    found = _touched(call, leases, now)
    if not (found or leases.urgent or leases.problems):
        return Verdict(PASSED, "")
    from gitmail_hooks.guard_screen import (
        blocked_screen,
        problem_lines,
        urgent_line,
        warning_screen,
    )

    also = urgent_line(len(leases.urgent), tuple(dict.fromkeys(leases.urgent)))
    also += problem_lines(leases.problems)
    person = leases.me is None and not leases.stops_people
    if any(one.blocking for one in found) and not person:
        return Verdict(BLOCKED, blocked_screen(call.kind, found, now) + also)
    return Verdict(PASSED, warning_screen(found, now, person) + also)


def _touched(call: Call, leases: Leases, now: datetime) -> list[Touched]:
    """Ask git only when there is a reservation of somebody else at all."""
    from gitmail.git.staged import pushed_paths, staged_paths
    from gitmail.reservations.touching import check, check_pushed, held_by_others

    others = held_by_others(leases.reservations, leases.me, now)
    if not others:
        return []
    if call.kind == "pre-commit":
        return check(staged_paths(call.environment, call.cwd), others, leases.me, now)
    remote = call.arguments[0] if call.arguments else ""
    since = min(one.date for one in others)
    changed = pushed_paths(call.stdin, remote, call.environment, call.cwd, since)
    return check_pushed(changed, others, leases.me, now)


def call_from(
    arguments: Sequence[str], environment: Mapping[str, str], cwd: Path, read: Callable[[], bytes]
) -> Call:
    """Understand how the hook was started: by git, or by pre-commit (or prek) for git.

    pre-commit keeps pre-push's input to itself and gives the range in variables instead; of a
    branch that is new from its first commit on, only the name.
    """
    kind, rest = arguments[0], tuple(arguments[1:])
    remote = environment.get("PRE_COMMIT_REMOTE_NAME")
    pushed = environment.get("PRE_COMMIT_TO_REF") or environment.get("PRE_COMMIT_LOCAL_BRANCH")
    framed = pushed is not None and (remote is not None or "PRE_COMMIT_TO_REF" in environment)
    if kind == AUTO:
        kind = "pre-push" if framed else "pre-commit"
    if kind != "pre-push":
        return Call(kind, rest, cwd, dict(environment))
    if not framed:
        return Call(kind, rest, cwd, dict(environment), read())
    line = f"- {pushed} - {environment.get('PRE_COMMIT_FROM_REF') or '0'}\n"
    return Call(kind, (remote or "",), cwd, dict(environment), line.encode())


def run(
    arguments: Sequence[str],
    environ: MutableMapping[str, str],
    load: Callable[[Call], Leases],
    now: datetime | None = None,
) -> int:
    """Run the guard to its exit status: PASSED, BLOCKED, PROBED, or MISUSED for a wrong kind.

    `environ` is cleared of git's variables before `load` asks the store. Its own failure passes.
    """
    if not arguments or arguments[0] not in (*ALL_HOOKS, AUTO):
        sys.stderr.write(f"usage: {GUARD_COMMAND} {'|'.join(ALL_HOOKS)}|{AUTO}\n")
        return MISUSED
    if word := environ.get(PROBE_VARIABLE):
        sys.stderr.write(f"{GUARD_COMMAND} {arguments[0]} {word}\n")
        return PROBED
    try:
        call = call_from(arguments, environ, Path.cwd(), sys.stdin.buffer.read)
        strip_process_environment(environ)
        verdict = _decide(call, load(call), now or datetime.now(UTC))
    except GitmailError as error:
        return _failed(arguments[0], error.message)
    except Exception as error:  # noqa: BLE001 - the outermost frame: a commit must go through
        return _failed(arguments[0], f"{type(error).__name__}: {error}")
    sys.stderr.write(verdict.screen)
    return verdict.status


def _decide(call: Call, leases: Leases, now: datetime) -> Verdict:
    if call.kind != COMMIT_MSG:
        return judge(call, leases, now)
    from gitmail_hooks.commit_msg import add_trailer

    add_trailer(call, leases, now)
    return Verdict(PASSED, "")


def _failed(kind: str, reason: str) -> int:
    from gitmail_hooks.guard_screen import failure_line

    sys.stderr.write(failure_line(kind, reason))
    return PASSED


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Be the program `gitmail-guard` (arguments: sys.argv's): as whom, the environment says."""
    words = sys.argv[1:] if arguments is None else arguments
    sys.exit(run(words, os.environ, _load))


def _load(call: Call) -> Leases:
    return load_leases(
        call.cwd, call.environment, datetime.now(UTC), urgent=call.kind != COMMIT_MSG
    )


if __name__ == "__main__":
    main()
