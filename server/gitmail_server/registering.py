"""Becoming an agent, and proving it: who may register under which name (docs/security.md).

A name that somebody has is handed to nobody else: registering under it needs its token, or a
server that speaks for it already. A new name is anybody's; its token is told once.
"""

from __future__ import annotations

from dataclasses import dataclass

from gitmail.board.agents import name_taken, register
from gitmail.board.credentials import Credentials
from gitmail.index.agents import agent_by_name
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.names import fold
from gitmail_server.session import Session


@dataclass(frozen=True, slots=True)
class Application:
    """What somebody says who registers; `name` None means the name this server has."""

    program: str
    model: str
    name: str | None = None
    task: str | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Registration:
    """The agent, and its token where one was issued just now."""

    agent: Agent
    token: str | None


def register_agent(session: Session, asked: Application) -> Registration:
    """Register or update an agent; a server that speaks for nobody yet speaks for it from now on.

    Raises Refused `not_authorized` for a name that is somebody else's, `agent_retired`, and
    InvalidInput `invalid_<argument>`.
    """
    store, caller = session.store, session.caller
    name = caller.name if asked.name is None else asked.name
    unbound = session.unbound
    known = store.read(lambda view: _registered(view, name))
    mine = known is not None and fold(known.name) == fold(caller.name)
    credentials = Credentials(store.private)
    proven = known is None or mine or bool(asked.token and credentials.accepts(name, asked.token))
    if known is not None and not proven:
        raise name_taken(known.name)
    done = register(
        store,
        known.name if known is not None else name,
        program=asked.program,
        model=asked.model,
        task=asked.task,
        project=caller.project if known is None else None,
        only_new=known is None,
    )
    if unbound and fold(done.agent.name) != fold(caller.name):
        session.become(done.agent.name)
    fresh = known is None or not credentials.issued(known.name)
    return Registration(done.agent, credentials.issue(done.agent.name) if fresh else None)


def _registered(view: View, name: str) -> Agent | None:
    row = agent_by_name(view.index, name)
    return None if row is None else row.agent
