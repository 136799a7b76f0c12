"""Whom a stdio server speaks for (docs/architecture.md, identity).

An explicit name > the agent bound to this host session > the checkout's lasting name > a fresh
memorable name. An explicit name may be shared by several servers; a derived one that another live
server speaks for is left to it, and this server takes a fresh one.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass

from gitmail.board.identity import AGENT_KEY
from gitmail.board.presence import Presence
from gitmail.board.sessions import Sessions, key_of
from gitmail.errors import StoreUnavailable
from gitmail.values.names import check_agent_name, fold, fresh_name

AGENT_VARIABLE = "GITMAIL_AGENT"

_PATIENCE = 1.0
"""Seconds a derived name may stay taken: a host that restarts its server overlaps with the old."""
_TRIES = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """What the start of a server says about its agent.

    `explicit` is a name somebody asked for, `session` the key of the host session, `lasting` the
    checkout's own name; None where nothing is said.
    """

    explicit: str | None = None
    session: str | None = None
    lasting: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """The name to speak under; `told`: nobody asked for it, so the agent has to learn it."""

    name: str
    told: bool = True


def explicit_name(option: str | None, environ: Mapping[str, str]) -> str | None:
    """Return the name given by `--agent` or GITMAIL_AGENT; InvalidInput `invalid_agent` if bad."""
    name = option or environ.get(AGENT_VARIABLE) or None
    return None if name is None else check_agent_name(name, "agent")


def wish_of(
    option: str | None, environ: Mapping[str, str], config: Mapping[str, str], host: int
) -> Wish:
    """Gather the wish from the command line, the environment and the project's git config.

    `host` is the id of the process that started this one. Raises InvalidInput `invalid_agent`.
    """
    explicit = explicit_name(option, environ)
    lasting = config.get(AGENT_KEY) or None
    if explicit is None and lasting is not None:
        check_agent_name(lasting, "agent")
    return Wish(explicit, key_of(environ, host), lasting)


def take_identity(
    wish: Wish,
    sessions: Sessions,
    presence: Presence,
    names_in_use: Callable[[], list[str]],
    attach: Callable[[AbstractContextManager[None]], object],
) -> Identity:
    """Decide the name and attach under it, one process at a time.

    `names_in_use` lists the registered names; `attach` enters the presence of the chosen one.
    """
    if wish.explicit is not None:
        attach(presence.attached(wish.explicit))
        return Identity(wish.explicit, told=False)
    with sessions.choosing():
        identity = _derived(wish, sessions, presence, names_in_use)
        attach(presence.attached(identity.name))
        if wish.session is not None:
            with suppress(OSError):  # a store that cannot be written: nothing to resume later
                sessions.bind(wish.session, identity.name)
    return identity


def _derived(
    wish: Wish, sessions: Sessions, presence: Presence, names_in_use: Callable[[], list[str]]
) -> Identity:
    bound = sessions.bound(wish.session) if wish.session is not None else None
    for name in (bound, wish.lasting):
        if name is not None and _free(presence, name):
            return Identity(name)
    taken = {fold(name) for name in (*names_in_use(), *sessions.names())}
    for _ in range(_TRIES):
        name = fresh_name(secrets.choice)
        if fold(name) not in taken and not presence.living(name):
            return Identity(name)
    raise StoreUnavailable(
        "no_free_name",
        "No unused name was found for this agent.",
        "Start the server with `--agent NAME`.",
    )


def _free(presence: Presence, name: str) -> bool:
    """Tell whether no live server speaks for `name`; waits a little for one that is ending."""
    deadline = time.monotonic() + _PATIENCE
    while presence.living(name):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
