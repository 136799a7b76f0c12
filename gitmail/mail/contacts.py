"""Who may write to an agent: its contact policy, its contacts, and requests to become one.

`open` lets everybody in, `contacts_only` the agent's contacts, `block_all` nobody, in every path
(contract: fetch_inbox, the family). A request for contact is a letter under a topic of its own:
only `block_all` keeps it out, and answering it acknowledges it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from gitmail.board.caller import Acting, Caller
from gitmail.board.presence import Presence
from gitmail.errors import InvalidInput
from gitmail.format.agents import agent_to_bytes, update_agent
from gitmail.index.agents import agent_by_name
from gitmail.index.mailbox import inbox
from gitmail.index.rows import DeliveryRow
from gitmail.mail.deliver import Addressee, Draft, delivery_change
from gitmail.mail.marks import ACKNOWLEDGED, marking
from gitmail.mail.references import candidates, find_agent
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.agent import Agent
from gitmail.values.ids import new_id
from gitmail.values.names import fold
from gitmail.values.paths import agent_path
from gitmail.values.recipients import CONTACT_POLICIES, AgentRef, accepts, resolve
from gitmail.values.secrets import refuse_secrets
from gitmail.values.text import check_text

TOPIC = "contact-request"
REASON_LIMIT = 2_000
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Request:
    """An open request for contact: who asks, in which letter, since when."""

    sender: str
    letter_id: str
    date: datetime


@dataclass(frozen=True, slots=True)
class Contacts:
    """An agent's policy, whom it lets in under `contacts_only`, and who asks to be let in."""

    policy: str
    contacts: tuple[str, ...]
    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer to a request: `open` when letters pass already, else `requested`, with its id."""

    recipient: str
    state: str
    letter_id: str | None = None


def contacts_of(store: Store, name: str) -> Contacts:
    """Return an agent's contacts and open requests; NotFound `agent_not_found`."""

    def ask(view: View) -> Contacts:
        agent = find_agent(view, name)
        requests = tuple(
            Request(row.letter.sender, row.letter.id, row.letter.date)
            for row in reversed(_open_requests(view, agent.name))
        )
        return Contacts(agent.contact_policy or "open", agent.contacts, requests)

    return store.read(ask)


def set_policy(store: Store, caller: Caller, policy: str) -> Agent:
    """Set the caller's contact policy; InvalidInput `invalid_policy`."""
    if policy not in CONTACT_POLICIES:
        raise InvalidInput(
            "invalid_policy",
            f"policy {policy[:40]!r} is not one of {', '.join(CONTACT_POLICIES)}.",
            "open lets every agent of the project write.",
            accepted=list(CONTACT_POLICIES),
            argument="policy",
        )
    kept = None if policy == "open" else policy

    def decide(view: View) -> Change[Agent] | NoChange[Agent]:
        acting = caller.acting(view)
        if acting.agent.contact_policy == kept:
            return NoChange(acting.agent)
        after = replace(acting.agent, contact_policy=kept)
        files = _profile(view, acting, after, {"contact_policy": kept})
        message = sentences.profile(after.name, ("contact_policy",))
        return Change(files, message, after, acting.author)

    return store.write(caller.author, decide).result


def request_contact(store: Store, caller: Caller, to: str, reason: str) -> Asked:
    """Ask an agent to let the caller's letters in; an open request is not sent twice.

    Raises recipient_* and ambiguous_recipient, Refused `recipient_blocked` (block_all) and
    `secret_like`, InvalidInput `invalid_reason`, and the limits of a send.
    """
    check_text(reason, "reason", REASON_LIMIT)
    refuse_secrets({"reason": reason})
    letter_id = new_id()
    presence = Presence(store.private)

    def decide(view: View) -> Change[Asked] | NoChange[Asked]:
        acting = caller.acting(view)
        ref = AgentRef(to)
        agent = resolve(ref, candidates(view, [ref]))
        if accepts(agent, acting.agent):
            return NoChange(Asked(agent.name, "open"))
        for row in _open_requests(view, agent.name, acting.agent.name):
            return NoChange(Asked(agent.name, "requested", row.letter.id))
        draft = Draft(
            id=letter_id,
            subject=f"{acting.agent.name} asks for contact",
            text=reason,
            addressees=[Addressee(agent)],
            topic=TOPIC,
            ack_required=True,
            origin=caller.origin,
            asks_contact=True,
        )
        sent = delivery_change(view, presence, acting, draft)
        asked = Asked(agent.name, "requested", letter_id)
        return Change(sent.files, sent.message, asked, sent.author)

    return store.write(caller.author, decide).result


def respond_contact(store: Store, caller: Caller, other: str, accept: bool) -> Contacts:
    """Let an agent in or keep it out, and acknowledge its open requests: one commit, or none.

    Raises NotFound `agent_not_found`.
    """

    def decide(view: View) -> Change[Contacts] | NoChange[Contacts]:
        acting = caller.acting(view)
        name = find_agent(view, other, "other_agent").name
        others = tuple(one for one in acting.agent.contacts if fold(one) != fold(name))
        contacts = (*others, name) if accept else others
        if set(contacts) == set(acting.agent.contacts):
            contacts = acting.agent.contacts
        after = replace(acting.agent, contacts=contacts)
        requests = _open_requests(view, after.name, name)
        answer = Contacts(after.contact_policy or "open", contacts, ())
        if contacts == acting.agent.contacts and not requests:
            return NoChange(answer)
        files = marking(view, requests, ACKNOWLEDGED, view.now)
        if contacts != acting.agent.contacts:
            files |= _profile(view, acting, after, {"contacts": contacts})
        message = sentences.contact(after.name, name, accept)
        return Change(files, message, answer, acting.author)

    store.write(caller.author, decide)
    return contacts_of(store, caller.name)


def _open_requests(view: View, name: str, sender: str | None = None) -> list[DeliveryRow]:
    found = inbox(view.index, name, topic=TOPIC, limit=_MOST).deliveries
    waiting = [row for row in found if row.waits]
    return [row for row in waiting if sender is None or fold(row.letter.sender) == fold(sender)]


def _profile(
    view: View, acting: Acting, after: Agent, changes: Mapping[str, str | tuple[str, ...] | None]
) -> dict[str, bytes | None]:
    if acting.files:
        return acting.files | {agent_path(after.name): agent_to_bytes(after)}
    row = agent_by_name(view.index, after.name)
    assert row is not None  # it acts, so it is registered
    return {row.path: update_agent(view.content(row.path, row.blob), row.path, dict(changes))}
