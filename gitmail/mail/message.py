"""`memory_message` send: to one agent, a project or everybody (contract: memory_message, send)."""

from __future__ import annotations

from dataclasses import dataclass

from gitmail.board.caller import Acting, Caller
from gitmail.board.presence import Presence
from gitmail.errors import InvalidInput, NotFound
from gitmail.index.agents import agent_by_name, agents_of_project, all_agents
from gitmail.index.letters import letter, letter_ids, request
from gitmail.index.rows import LetterRow
from gitmail.mail.deliver import Addressee, Draft, Sent, delivery_change
from gitmail.mail.references import ambiguous_letter, candidates
from gitmail.mail.repeats import repeated
from gitmail.mail.ring_command import ring_out
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.ids import id_or_prefix, new_id
from gitmail.values.limits import SendLimits, check_fanout
from gitmail.values.presence import presence_of
from gitmail.values.recipients import (
    AgentRef,
    All,
    Candidate,
    Project,
    check_chosen,
    parse_recipient,
    refers_to,
    resolve,
    select_fanout,
)
from gitmail.values.requests import check_repeat, send_digest
from gitmail.values.secrets import refuse_secrets
from gitmail.values.text import check_line, check_subject, check_text, subject_from_text

TEXT_LIMIT = 8192
"""Most bytes of a text, in UTF-8."""
REQUEST_ID_LIMIT = 120
CLEARS_LIMIT = 120
THREAD_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Message:
    """The arguments of a send, as given; None = not given."""

    text: str
    request_id: str
    to: str | None = None
    reply_to: str | None = None
    clears: str | None = None
    urgent: bool = False
    subject: str | None = None
    thread: str | None = None


def send(store: Store, caller: Caller, message: Message) -> Sent:
    """Send a message, once for each (sender, request_id); a repeat returns the first answer.

    Raises the codes of the contract's send: recipient_*, ambiguous_*, no_recipients,
    fanout_too_large, queue_full, rate_limited, request_conflict, secret_like, invalid_reply,
    ambiguous_reply, invalid_<argument>; nothing is written then and no request_id used up.
    """
    _check(message)
    presence = Presence(store.private)
    letter_id = new_id()

    def decide(view: View) -> Change[Sent] | NoChange[Sent]:
        acting = caller.acting(view)
        first = request(view.index, acting.agent.name, message.request_id)
        if first is not None:
            return NoChange(_repeat(view, message, first))
        parent = _parent(view, acting.agent, message)
        addressees, asked = _addressees(view, presence, acting, message, parent)
        draft = _draft(letter_id, caller, message, addressees, parent, asked)
        return delivery_change(view, presence, acting, draft, to=asked)

    return ring_out(store, store.write(caller.author, decide).result)


def _check(message: Message) -> None:
    check_text(message.text, "text", TEXT_LIMIT)
    check_line(message.request_id, "request_id", REQUEST_ID_LIMIT)
    if message.clears is not None:
        check_line(message.clears, "clears", CLEARS_LIMIT)
    if message.thread is not None:
        check_line(message.thread, "thread", THREAD_LIMIT)
    if message.subject is not None:
        check_subject(message.subject)
    if message.to is not None:
        parse_recipient(message.to)
    elif message.reply_to is None:
        raise InvalidInput(
            "missing_parameter",
            "send needs `to`, or `reply_to` to answer a letter's sender.",
            "Give an agent's name, `project:<name>` or `all`.",
            parameter="to",
        )
    refuse_secrets(
        {
            "text": message.text,
            "subject": message.subject,
            "thread": message.thread,
            "clears": message.clears,
            "request_id": message.request_id,
            "to": message.to,
        }
    )


def _draft(
    letter_id: str,
    caller: Caller,
    message: Message,
    addressees: list[Addressee],
    parent: LetterRow | None,
    asked: str | None,
) -> Draft:
    parent_id = parent.letter.id if parent else None
    thread = message.thread
    if thread is None and parent is not None:
        thread = parent.letter.thread or parent_id
    return Draft(
        id=letter_id,
        subject=message.subject or subject_from_text(message.text),
        text=message.text,
        addressees=addressees,
        thread=thread,
        reply_to=parent_id,
        importance="urgent" if message.urgent else "normal",
        ack_required=True,
        expires=True,
        clears=message.clears,
        origin=caller.origin,
        request_id=message.request_id,
        request=_digest(message, addressees[0].agent.id, asked, parent_id),
    )


def _digest(message: Message, recipient_id: str, asked: str | None, parent: str | None) -> str:
    return send_digest(
        asked if asked is not None else recipient_id,
        message.text,
        fanout=asked is not None,
        reply_to=parent,
        clears=message.clears,
        urgent=message.urgent,
        subject=message.subject,
        thread=message.thread,
    )


# -- who gets it -------------------------------------------------------------------------------


def _addressees(
    view: View, presence: Presence, acting: Acting, message: Message, parent: LetterRow | None
) -> tuple[list[Addressee], str | None]:
    """Return the recipients, and `to` as asked when it is a fan-out."""
    if message.to is None and parent is not None:
        return [Addressee(_agent_named(view, acting, parent.letter.sender))], None
    target = parse_recipient(message.to or "")
    if isinstance(target, AgentRef):
        return [Addressee(_recipient(view, acting, target, message, parent))], None
    if message.reply_to is not None:
        raise _invalid_reply(message.reply_to, "a reply goes to one agent, not to a fan-out")
    found = _known_agents(view, target)
    chosen = select_fanout(
        target, [_candidate(view, presence, agent) for agent in found], acting.agent
    )
    check_chosen(message.to or "", chosen)
    check_fanout(len(chosen.chosen), SendLimits(fanout=view.config.limits.fanout))
    return [Addressee(agent) for agent in chosen.chosen], message.to


def _recipient(
    view: View, acting: Acting, ref: AgentRef, message: Message, parent: LetterRow | None
) -> Agent:
    if acting.files and refers_to(ref, acting.agent):
        return acting.agent  # a letter to oneself, before one is registered
    recipient = resolve(ref, candidates(view, [ref]))
    if parent is not None and recipient.name != parent.letter.sender:
        raise _invalid_reply(
            message.reply_to or "",
            f"that letter came from {parent.letter.sender}, not from {recipient.name}",
        )
    return recipient


def _agent_named(view: View, acting: Acting, name: str) -> Agent:
    if acting.files and name == acting.agent.name:
        return acting.agent
    return resolve(AgentRef(name), candidates(view, [AgentRef(name)]))


def _known_agents(view: View, target: All | Project) -> list[Agent]:
    if isinstance(target, Project):
        return [row.agent for row in agents_of_project(view.index, target.name)]
    return [row.agent for row in all_agents(view.index)]


def _candidate(view: View, presence: Presence, agent: Agent) -> Candidate:
    seen = presence.seen(agent.name)
    return Candidate(agent, presence_of(seen.attached, seen.last_action, view.now))


# -- replies and repeats -----------------------------------------------------------------------


def _parent(view: View, me: Agent, message: Message) -> LetterRow | None:
    """Return the letter that is answered: one that was delivered to the sender."""
    if message.reply_to is None:
        return None
    prefix = id_or_prefix(message.reply_to, "reply_to")
    found = letter_ids(view.index, prefix, recipient=me.name)
    if not found:
        raise _invalid_reply(message.reply_to, "no letter in your mailbox has that id")
    if len(found) > 1:
        raise ambiguous_letter(message.reply_to, found, "ambiguous_reply")
    return letter(view.index, found[0])


def _invalid_reply(reply_to: str, why: str) -> NotFound:
    return NotFound(
        "invalid_reply",
        f"reply_to {reply_to[:40]!r}: {why}.",
        "Take the message_id of a letter that this agent sent to you.",
        reply_to=reply_to[:40],
    )


def _repeat(view: View, message: Message, first: LetterRow) -> Sent:
    """Return the first answer to the identical send; Refused `request_conflict` otherwise.

    Compared with whom the first call reached, so that a prefix which has become ambiguous since,
    or an agent that has been retired, does not make it another request.
    """
    recipients = [copy.delivery.recipient for copy in first.deliveries]
    asked = message.to if message.to is not None and _is_fanout(message.to) else None
    same = recipients[0] if recipients else ""
    row = agent_by_name(view.index, same)
    recipient_id = row.agent.id if row else ""
    if asked is None and message.to is not None:
        meant = row is not None and refers_to(AgentRef(message.to), row.agent)
        if len(recipients) != 1 or not meant:
            recipient_id = "another"
    parent = first.letter.reply_to
    if message.reply_to is not None and not (parent or "").startswith(message.reply_to.lower()):
        parent = "another"
    if message.reply_to is None:
        parent = None
    check_repeat(
        message.request_id,
        first.letter.request or "",
        _digest(message, recipient_id, asked, parent),
    )
    return repeated(view, first, asked)


def _is_fanout(to: str) -> bool:
    return not isinstance(parse_recipient(to), AgentRef)
