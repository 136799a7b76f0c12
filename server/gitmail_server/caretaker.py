"""What a server does for its store while nobody asks it anything.

A letter sent, read and acknowledged leaves about twenty loose objects behind; nothing else packs
them (git's own background work is switched off). Small steps, only when idle, by one thread that
ends with the process. A person's edits of notes are taken up here too when no call comes by.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Protocol

from gitmail.errors import GitmailError
from gitmail.git.maintain import count_loose
from gitmail.mail.maintenance import tidy
from gitmail.store.edits import adopt_edits
from gitmail.store.store import Store
from gitmail_server.in_flight import InFlight

logger = logging.getLogger("gitmail.server")

ROUND_SECONDS = 30.0
"""How often an idle server looks."""
QUIET_SECONDS = 5.0
"""How long no call may have run before anything is done."""
MANY_LOOSE = 3_000
"""From about how many loose objects a packing step is worth it."""
PACK_SECONDS = 1.5


class HasStore(Protocol):
    """Whatever knows the store: a session, or many."""

    @property
    def store(self) -> Store:
        """The opened store; raises GitmailError while there is none."""
        ...


class Caretaker:
    """One daemon thread of a server process; `start` it once."""

    def __init__(self, session: HasStore, in_flight: InFlight) -> None:
        self._session = session
        self._in_flight = in_flight

    def start(self) -> None:
        """Begin to look after the store."""
        threading.Thread(target=self._run, name="gitmail-care", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(ROUND_SECONDS)
            if self._in_flight.idle_for(QUIET_SECONDS):
                self.look()

    def look(self) -> None:
        """Do one round; trouble is logged and left for the next."""
        try:
            store = self._session.store
            adopt_edits(store)
            if count_loose(store.git_dir) >= MANY_LOOSE:
                tidy(store, PACK_SECONDS)
            store.take_notices()
        except (GitmailError, OSError) as error:
            logger.info("idle work was left for later: %s", error)
