"""Which agent a host's hook is about: the one that the session's server speaks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gitmail.board.sessions import Sessions, process_key, session_key
from gitmail.store.private import PrivateState
from gitmail.values.names import check_agent_name

AGENT_VARIABLE = "GITMAIL_AGENT"
AGENT_KEY = "gitmail.agent"
ANCESTORS = 4
"""How far up the host may be: hosts start hooks through a shell, some through two."""


class HostSession(NamedTuple):
    """An agent, and the key under which what this session was told is remembered."""

    agent: str
    key: str


def host_session(
    private: PrivateState,
    session_id: str,
    environ: Mapping[str, str],
    config: Mapping[str, str],
    parent: int,
) -> HostSession | None:
    """Return whom a session speaks for, None when nobody is known yet.

    GITMAIL_AGENT > the agent that the session's server bound to it > the checkout's lasting name
    (docs/architecture.md, identity). `parent` is the process that started the hook. Raises
    InvalidInput `invalid_agent` for a name that nobody can have.
    """
    key = session_key(session_id)
    given = environ.get(AGENT_VARIABLE, "").strip()
    if given:
        return HostSession(check_agent_name(given, "agent"), key)
    name = _bound(Sessions(private), key, parent) or config.get(AGENT_KEY, "").strip()
    return HostSession(check_agent_name(name, "agent"), key) if name else None


def _bound(sessions: Sessions, key: str, parent: int) -> str | None:
    """Return the agent bound to the session, or to a process that started this one."""
    bound = sessions.bound(key)
    if bound is not None:
        return bound
    keys = (process_key(pid) for pid in _ancestors(parent))
    names = (sessions.bound(one) for one in keys if one is not None)
    return next((name for name in names if name is not None), None)


def _ancestors(pid: int) -> Iterator[int]:
    for _ in range(ANCESTORS):
        if pid <= 1:
            return
        yield pid
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return
