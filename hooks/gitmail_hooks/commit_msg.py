"""The optional commit-msg hook: a trailer that points from the code's history at the mail's.

`Gitmail-Thread: FEAT-123` is added when the committer's reservation of a changed file, or else
the branch, names a conversation. `gitmail log --with-code FEAT-123` then shows both in order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gitmail.git.code_git import ask, one_line, try_ask
from gitmail.values.sentences import CODE_THREAD
from gitmail.values.text import line_problem
from gitmail_hooks.leases import Leases

if TYPE_CHECKING:
    from gitmail_hooks.guard import Call

_THREAD_LIMIT = 120
_TICKET = re.compile(r"[A-Z][A-Z0-9]*-[0-9]+")
_CUT = re.compile(r"^. -+ >8 -+$")


def add_trailer(call: Call, leases: Leases, now: datetime) -> None:
    """Add the trailer to the message file that git named, unless it has one already.

    An empty message stays empty, so that git still gives the commit up. Raises StoreUnavailable.
    """
    path = Path(call.cwd, call.arguments[0])
    if not path.is_file() or not _says_something(path, call.environment, call.cwd):
        return
    thread = _reserved_thread(call, leases, now) or _branch_thread(call)
    if thread is None:
        return
    arguments = ["interpret-trailers", "--in-place", "--if-exists", "doNothing"]
    ask(
        [*arguments, "--trailer", f"{CODE_THREAD}: {thread}", "--", str(path)],
        call.environment,
        call.cwd,
    )


def _reserved_thread(call: Call, leases: Leases, now: datetime) -> str | None:
    """Return the conversation of an own reservation that covers a changed file."""
    from gitmail.git.staged import staged_paths
    from gitmail.reservations.globs import matches
    from gitmail.reservations.rules import same_agent

    own = [
        one
        for one in leases.reservations
        if one.thread and one.held(now) and leases.me and same_agent(one.holder, leases.me)
    ]
    if not own:
        return None
    paths = staged_paths(call.environment, call.cwd)
    covering = (
        one.thread
        for one in own
        for pattern in one.paths
        if any(matches(pattern, path) for path in paths)
    )
    return next(covering, None)


def _branch_thread(call: Call) -> str | None:
    """Return the conversation that the branch is named after, if the store has it."""
    done = try_ask(["symbolic-ref", "--quiet", "--short", "HEAD"], call.environment, call.cwd)
    branch = one_line(done.stdout)
    wanted = [name for name in _names(branch) if line_problem(name, _THREAD_LIMIT) is None]
    return _known_thread(call.cwd, wanted) if done.returncode == 0 and wanted else None


def _names(branch: str) -> Iterator[str]:
    """Yield what a branch may be named after: all of it, its last part, a ticket in it."""
    yield branch
    if "/" in branch:
        yield branch.rpartition("/")[2]
    yield from _TICKET.findall(branch)


def _known_thread(cwd: Path, wanted: Sequence[str]) -> str | None:
    """Return the first of `wanted` that is a conversation of the store."""
    from gitmail.index.letters import thread
    from gitmail.store.location import find_project, open_store

    place = find_project(cwd, None)
    if not place.exists:
        return None
    with open_store(place) as store:
        return store.read(
            lambda view: next((one for one in wanted if thread(view.index, one)), None)
        )


def _says_something(path: Path, environment: Mapping[str, str], cwd: Path) -> bool:
    """Whether the message has a line that is no comment, before what `commit -v` cuts off."""
    setting = try_ask(["config", "--get", "core.commentChar"], environment, cwd)
    comment = one_line(setting.stdout).replace("auto", "") or "#"
    for line in os.fsdecode(path.read_bytes()).splitlines():
        if _CUT.match(line):
            return False
        if line.strip() and not line.startswith(comment):
            return True
    return False
