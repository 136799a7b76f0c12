"""`gitmail hook HOST EVENT [--rewake]`: what a host runs at its events (docs/hosts.md).

Runs once per tool call of an agent, so everything here is about being quick and never in the way:
whatever is wrong, the answer changes nothing, the exit code is 0, and standard error has one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gitmail.errors import GitmailError, InvalidInput
from gitmail.values.hints import WaitingLetter, brief_line, hint_line
from gitmail_hooks.hosts import (
    SILENCE,
    HookAnswer,
    HookEvent,
    HookOutput,
    may_speak,
    read_event,
    render,
    silent,
)
from gitmail_hooks.hosts.fields import MAX_INPUT_BYTES

if TYPE_CHECKING:
    from gitmail.index.waiting import WaitingRow
    from gitmail_hooks.host_session import HostSession
    from gitmail_hooks.mailbox_look import Spot

REWAKE = "--rewake"
REWAKE_SECONDS = 3540.0
"""How long a stop hook waits: less than the hour after which hosts end it (setup/shapes.py)."""
NOBODY = "no agent is known for this session; GITMAIL_AGENT or git config gitmail.agent names one"


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Answer one call on the standard streams; returns the exit code, which is always 0."""
    output = answered(arguments, environ, sys.stdin.buffer.read(MAX_INPUT_BYTES + 1))
    sys.stdout.write(output.stdout)
    sys.stderr.write(output.stderr.encode("ascii", "backslashreplace").decode())
    return output.exit_code


def answered(arguments: Sequence[str], environ: Mapping[str, str], data: bytes) -> HookOutput:
    """Return what one call leaves behind; `arguments` are HOST, EVENT and perhaps --rewake."""
    host = arguments[0] if arguments else ""
    try:
        words = [word for word in arguments if word != REWAKE]
        if len(words) != 2:
            raise InvalidInput("usage", "the arguments are HOST EVENT [--rewake]")
        event = read_event(words[0], words[1], data)
        if not may_speak(event):
            return silent(host)
        return render(event, answer(event, environ, rewake=REWAKE in arguments))
    except GitmailError as error:
        return silent(host, error.message)
    except OSError as error:
        return silent(host, f"{error.filename or 'a file'}: {error.strerror}")
    except Exception as error:  # noqa: BLE001 - a fault of ours must not stop a host's session
        return silent(host, f"{type(error).__name__} inside gitmail")


def answer(event: HookEvent, environ: Mapping[str, str], *, rewake: bool) -> HookAnswer:
    """Return what the agent is told at `event`; raises GitmailError and OSError.

    A session starts with one line about its mailbox. Afterwards each letter is told once, and one
    that its owner has looked at never. At a stop nothing is said, except with `rewake`.
    """
    if event.kind == "stop" and not rewake:
        return SILENCE
    from gitmail_hooks.mailbox_look import find_spot, project_folder

    home = environ.get("HOME")
    spot = find_spot(project_folder(environ, event.cwd), home)
    if spot is None:
        return SILENCE
    session = _session(event, environ, spot)
    if session is None:
        return SILENCE
    if event.kind == "stop":
        return HookAnswer(_rung(spot, session, home))
    return HookAnswer(_news(event, spot, session, home))


def _session(event: HookEvent, environ: Mapping[str, str], spot: Spot) -> HostSession | None:
    """Return whom the session speaks for; that nobody is known is said at its start only."""
    from pathlib import Path

    from gitmail.store.private import PrivateState
    from gitmail_hooks.host_session import host_session

    private = PrivateState(Path(spot.private))
    found = host_session(private, event.session_id, environ, spot.config, os.getppid())
    if found is None and event.kind == "session_start":
        raise InvalidInput("no_agent", NOBODY)
    return found


def _news(event: HookEvent, spot: Spot, session: HostSession, home: str | None) -> str:
    from gitmail.mail.announced import Announced
    from gitmail_hooks.mailbox_look import what_waits

    rows = what_waits(spot, session.agent, home)
    memory = Announced(spot.private, session.agent, session.key)
    seen = [row.id for row in rows if row.seen]
    if event.kind != "session_start":
        if not rows:
            return ""
        return hint_line(session.agent, memory.take(_letters(rows), seen), len(rows))
    memory.remember(_letters(rows))
    return brief_line(session.agent, _letters(rows), len(rows))


def _rung(spot: Spot, session: HostSession, home: str | None) -> str:
    """Wait for a ring of a letter that this session was not told of; "" when none came."""
    from pathlib import Path

    from gitmail.board.caller import Caller
    from gitmail.mail.waiting import Listener, wait_for
    from gitmail.store.location import find_project, open_store
    from gitmail.values.ids import new_id
    from gitmail_hooks.orphan import when_orphaned

    place = find_project(Path(spot.project), Path(home) if home else None)
    caller = Caller(session.agent, new_id())
    with open_store(place) as store, when_orphaned() as orphaned:
        listener = Listener.of(store, session.agent, session.key)
        listener.rings.note(listener.news.known() or ())
        woken = wait_for(
            store, caller, REWAKE_SECONDS, "ring", key=session.key, stopped=orphaned.is_set
        )
    return hint_line(session.agent, woken.letters, woken.waiting)


def _letters(rows: Sequence[WaitingRow]) -> list[WaitingLetter]:
    return [WaitingLetter(row.id, row.sender, row.subject, row.urgent) for row in rows]
