"""Whose mailbox a call of the second vocabulary may touch: one's own, or one by its token."""

from __future__ import annotations

from gitmail.board.caller import Caller
from gitmail.board.credentials import Credentials
from gitmail.errors import Refused
from gitmail.mail.references import find_agent
from gitmail.values.names import fold
from gitmail_server.session import Session


def acting_as(session: Session, agent_name: str, token: str | None) -> Caller:
    """Return who acts on the mailbox of `agent_name`; raises as `check_access`."""
    name = check_access(session, agent_name, token)
    caller = session.caller
    if name is None or fold(name) == fold(caller.name):
        return caller
    return Caller(name, caller.id)


def check_access(session: Session, agent_name: str, token: str | None) -> str | None:
    """Return the registered name behind `agent_name`; None for a caller not registered yet.

    Raises NotFound `agent_not_found` with near names, Refused `not_authorized` for another agent's
    mailbox without its registration token, or with a wrong one.
    """
    caller = session.caller
    mine = fold(agent_name) == fold(caller.name)
    if mine and session.store.read(caller.agent) is None:
        return None
    agent = session.store.read(lambda view: find_agent(view, agent_name))
    own = fold(agent.name) == fold(caller.name)
    if not own and not (token and Credentials(session.store.private).accepts(agent.name, token)):
        raise Refused(
            "not_authorized",
            f"This server speaks for {caller.name}, not for {agent.name}.",
            f"Use agent_name {caller.name!r}, or give the registration token of {agent.name}.",
            agent=agent.name,
        )
    return agent.name
