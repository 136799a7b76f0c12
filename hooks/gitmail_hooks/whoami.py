"""As whom a commit is made, in the order of docs/architecture.md (identity).

GITMAIL_AGENT > the agent bound to the host session that the commit runs in (its id, else one of
the processes above this one) > the checkout's lasting name > nobody: a person.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gitmail.values.names import check_agent_name

if TYPE_CHECKING:
    from gitmail_hooks.mailbox_look import Spot

AGENT_VARIABLE = "GITMAIL_AGENT"
AGENT_KEY = "gitmail.agent"
_MOST_ANCESTORS = 32


def whoami(environment: Mapping[str, str], spot: Spot) -> str | None:
    """Return the agent's name, None for a person without one.

    Raises InvalidInput `invalid_agent` for a given name that nobody can have.
    """
    given = environment.get(AGENT_VARIABLE, "").strip()
    name = given or _of_session(environment, spot) or spot.config.get(AGENT_KEY, "").strip()
    return check_agent_name(name, "agent") if name else None


def _of_session(environment: Mapping[str, str], spot: Spot) -> str | None:
    if not os.path.isdir(os.path.join(spot.private, "sessions")):
        return None
    from gitmail.board.sessions import SESSION_VARIABLES, Sessions, process_key, session_key
    from gitmail.store.private import PrivateState

    sessions = Sessions(PrivateState(Path(spot.private)))
    told = next((environment[key] for key in SESSION_VARIABLES if environment.get(key)), None)
    if told is not None:
        return sessions.bound(session_key(told))
    keys = (process_key(pid) for pid in _ancestors())
    return next((name for key in keys if key and (name := sessions.bound(key))), None)


def _ancestors() -> Iterator[int]:
    """Yield the processes above this one, the nearest first, where /proc tells them."""
    pid = os.getppid()
    for _ in range(_MOST_ANCESTORS):
        if pid <= 1:
            return
        yield pid
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return
        pid = int(stat.rpartition(")")[2].split()[1])
