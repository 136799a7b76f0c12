"""What the tools of one server process share: the store, the caller, and what every result says."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from gitmail.board.caller import Caller
from gitmail.board.handwork import look_at_handwork
from gitmail.board.presence import Presence
from gitmail.errors import GitmailError
from gitmail.index.mailbox import waiting_count
from gitmail.mail.notifier import Notifier
from gitmail.store.location import Place
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.park import park_of
from gitmail_server.desk import Desk
from gitmail_server.in_flight import Stops


class Session:
    """One server's work with one store, shared by its worker threads.

    The desk is opened when it is first needed and tried again after a failure, so that a server
    may start before `gitmail init`. `stops` ends the waiting of tools that wait for something;
    `place` finds the project that the server was started for.
    """

    def __init__(
        self, opener: Callable[[], Desk], place: Callable[[], Place] | None = None
    ) -> None:
        self._opener = opener
        self._place = place
        self._opening = threading.Lock()
        self._desk: Desk | None = None
        self._notifier: Notifier | None = None
        self._told = False
        self.stops = Stops()
        self.known_projects: set[str] = set()

    def of(self, _request: object) -> Session:
        """Return the session that a request belongs to: a stdio server has one for all."""
        return self

    @property
    def desk(self) -> Desk:
        """The opened desk; raises what gitmail_server.desk.open_desk raises."""
        with self._opening:
            if self._desk is None:
                self._desk = self._opener()
            return self._desk

    @property
    def store(self) -> Store:
        """The opened store; raises as `desk`."""
        return self.desk.store

    @property
    def caller(self) -> Caller:
        """Whom this server speaks for; raises as `desk`."""
        return self.desk.caller

    @property
    def presence(self) -> Presence:
        """The presence files of the store; raises as `desk`."""
        return self.desk.presence

    @property
    def notifier(self) -> Notifier:
        """The one notifier of this process, watching since it was first asked for."""
        desk = self.desk
        with self._opening:
            if self._notifier is None:
                self._notifier = Notifier(desk.store, desk.caller.name)
                self._notifier.start()
            return self._notifier

    def place(self) -> Place | None:
        """Return the project this server was started for; None for one that got its store."""
        return None if self._place is None else self._place()

    @property
    def unbound(self) -> bool:
        """True while nobody asked for the name this server speaks under, and nobody has it."""
        return self.desk.told and self.store.read(self.caller.agent) is None

    def become(self, name: str) -> None:
        """Speak for the agent `name` from now on."""
        with self._opening:
            assert self._desk is not None  # somebody has just been registered through it
            self._desk = self._desk.rename(name)
            notifier, self._notifier = self._notifier, None
        if notifier is not None:
            notifier.close()

    def begin(self) -> None:
        """Begin a call: any call is an own action, and sees what people did to the files."""
        desk = self.desk
        desk.presence.acted(desk.caller.name, datetime.now(UTC))
        look_at_handwork(desk.store, desk.caller.name, must=False)

    def common(self) -> dict[str, Any]:
        """Return what every result says: `waiting`, and `parked`, `you`, `warnings` when so."""
        desk = self.desk
        said = desk.store.read(lambda view: _standing(view, desk.caller))
        if desk.told and not self._told:
            self._told = True
            said["you"] = desk.caller.name
        notices = desk.store.take_notices()
        if notices:
            said["warnings"] = [notice.as_dict() for notice in notices]
        return said

    def common_after_failure(self) -> dict[str, Any]:
        """Return the same where it can be told; a failure is never hidden behind another."""
        if self._desk is None:
            return {}
        try:
            return self.common()
        except GitmailError:
            return {}

    def close(self) -> None:
        """Detach and close the store, if it was ever opened."""
        with self._opening:
            desk, self._desk = self._desk, None
            notifier, self._notifier = self._notifier, None
        if notifier is not None:
            notifier.close()
        if desk is not None:
            desk.close()


def _standing(view: View, caller: Caller) -> dict[str, Any]:
    said: dict[str, Any] = {"waiting": waiting_count(view.index, caller.name, view.now)}
    agent = caller.agent(view)
    park = park_of(agent, view.now) if agent is not None else None
    if park is not None:
        said["parked"] = {"reason": park.reason, "needs": park.needs}
    return said
