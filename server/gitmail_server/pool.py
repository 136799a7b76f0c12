"""The sessions of a server that speaks for many agents: one for each, by registration token.

An agent counts as attached from its first call until it has not called for a while: over HTTP
nobody can tell whether it is still there. Its next call attaches it again.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import Any

from mcp.server.auth.provider import AccessToken

from gitmail.board.caller import Caller
from gitmail.board.credentials import Credentials
from gitmail.board.presence import Presence
from gitmail.index.agents import agent_by_name
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.ids import new_id
from gitmail_server.desk import Desk
from gitmail_server.session import Session

IDLE_SECONDS = 15 * 60
"""After so long without a call an agent counts as gone."""


class Pool:
    """The sessions of one store, by agent; also the verifier of bearer tokens."""

    def __init__(self, store: Store, project: str | None = None) -> None:
        self._store = store
        self._project = project
        self._credentials = Credentials(store.private)
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._used: dict[str, float] = {}

    @property
    def store(self) -> Store:
        """The one store that all sessions share."""
        return self._store

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return whom a bearer token speaks for; None for one that was never issued, or revoked."""
        name = self._credentials.owner(token)
        return None if name is None else AccessToken(token=token, client_id=name, scopes=[])

    def of(self, request: Any) -> Session:
        """Return the session of the agent whose token a request brought."""
        return self.session_of(str(request.user.access_token.client_id))

    def session_of(self, name: str) -> Session:
        """Return the session of the agent `name`, in any spelling of case."""
        with self._lock:
            self._let_go(time.monotonic() - IDLE_SECONDS)
            session = self._sessions.get(name)
            if session is None:
                session = self._sessions[name] = Session(lambda: self._desk(name))
            self._used[name] = time.monotonic()
            return session

    def _let_go(self, before: float) -> None:
        """Detach those who did not call since `before`; a session opens again when it is used."""
        for name, used in list(self._used.items()):
            if used < before:
                del self._used[name]
                self._sessions[name].close()

    def _desk(self, name: str) -> Desk:
        agent = self._store.read(lambda view: _caller(view, name, self._project))
        presence = Presence(self._store.private)
        with ExitStack() as ending:
            ending.enter_context(presence.attached(agent.name))
            return Desk(self._store, agent, presence, False, ending.pop_all())

    def stop_all(self) -> None:
        """Stop every call that waits for something."""
        with self._lock:
            sessions = list(self._sessions.values())
        for session in sessions:
            session.stops.stop_all()

    def close(self) -> None:
        """Detach everybody and close the store."""
        with self._lock:
            sessions = list(self._sessions.values())
        for session in sessions:
            session.close()
        self._store.close()


def _caller(view: View, name: str, project: str | None) -> Caller:
    row = agent_by_name(view.index, name)
    if row is None:
        return Caller(name, new_id(), project=project)
    return Caller(row.agent.name, row.agent.id, project=project)
