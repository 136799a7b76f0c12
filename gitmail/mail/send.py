"""Sending as a person or a client of the second vocabulary does: to, cc and bcc by name.

Every recipient means exactly one registered agent or the whole send fails; nothing is created by
being addressed (contract: fetch_inbox, the family).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitmail.board.caller import Acting, Caller
from gitmail.board.presence import Presence
from gitmail.errors import InvalidInput
from gitmail.index.letters import letter, request
from gitmail.index.rows import LetterRow
from gitmail.mail.deliver import Addressee, Draft, Sent, delivery_change
from gitmail.mail.references import candidates, find_letter_id
from gitmail.mail.repeats import repeated
from gitmail.mail.ring_command import ring_out
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.ids import new_id
from gitmail.values.letter import IMPORTANCES
from gitmail.values.limits import LETTER_TEXT_LIMIT
from gitmail.values.names import fold
from gitmail.values.recipients import AgentRef, parse_recipient, refers_to, resolve, resolve_each
from gitmail.values.requests import check_repeat, letter_digest
from gitmail.values.secrets import refuse_secrets
from gitmail.values.text import SUBJECT_LIMIT, check_line, check_subject, check_text, shorten

TEXT_LIMIT = LETTER_TEXT_LIMIT
"""Most bytes of a text, in UTF-8."""
LINE_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What somebody asks to send; names, ids or prefixes of agents, as given."""

    to: tuple[str, ...]
    subject: str
    text: str
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    importance: str = "normal"
    ack_required: bool = False
    thread: str | None = None
    topic: str | None = None
    reply_to: str | None = None
    request_id: str | None = None


def send_letter(store: Store, caller: Caller, outgoing: Outgoing) -> Sent:
    """Send a letter; with a request_id, once. It never expires.

    Raises invalid_<argument>, recipient_* and ambiguous_recipient, request_conflict, queue_full,
    rate_limited, secret_like, message_not_found (reply_to); nothing is written then.
    """
    _check(outgoing)
    letter_id = new_id()
    presence = Presence(store.private)

    def decide(view: View) -> Change[Sent] | NoChange[Sent]:
        acting = caller.acting(view)
        first = _first(view, acting.agent, outgoing)
        if first is not None:
            return NoChange(_repeat(view, outgoing, first))
        parent = _parent(view, outgoing)
        addressees = _addressees(view, acting, outgoing)
        draft = _draft(letter_id, caller, outgoing, addressees, parent)
        return delivery_change(view, presence, acting, draft)

    return ring_out(store, store.write(caller.author, decide).result)


def reply_letter(
    store: Store, caller: Caller, message_id: str, text: str, **changes: object
) -> Sent:
    """Answer a letter: same thread, `Re:` once, to its sender (of an own letter: to whom it went).

    `changes` are further fields of Outgoing; ack_required is not inherited. Raises as send_letter.
    """
    parent = store.read(lambda view: _letter_meant(view, message_id))
    mine = fold(parent.letter.sender) == fold(caller.name)
    to = parent.letter.to if mine else (parent.letter.sender,)
    outgoing = Outgoing(
        to=to,
        subject=reply_subject(parent.letter.subject),
        text=text,
        topic=parent.letter.topic,
        reply_to=parent.letter.id,
    )
    given = {key: value for key, value in changes.items() if value is not None}
    return send_letter(store, caller, replace(outgoing, **given))  # type: ignore[arg-type]


def reply_subject(subject: str) -> str:
    """Return the subject of an answer: `Re:` once, within the limit of a subject."""
    if subject.lower().startswith("re:"):
        return subject
    return shorten(f"Re: {subject}", SUBJECT_LIMIT)


def _check(outgoing: Outgoing) -> None:
    check_text(outgoing.text, "text", TEXT_LIMIT)
    check_subject(outgoing.subject)
    if not (outgoing.to or outgoing.cc or outgoing.bcc):
        raise InvalidInput("invalid_to", "A letter needs a recipient.", "Name one in `to`.")
    for argument in ("thread", "topic", "request_id"):
        value = getattr(outgoing, argument)
        if value is not None:
            check_line(value, argument, LINE_LIMIT)
    if outgoing.importance not in IMPORTANCES:
        raise InvalidInput(
            "invalid_importance",
            f"importance {outgoing.importance[:40]!r} is not one of {', '.join(IMPORTANCES)}.",
            "Use normal for most letters.",
            accepted=list(IMPORTANCES),
        )
    refuse_secrets(
        {
            "subject": outgoing.subject,
            "body_md": outgoing.text,
            "thread": outgoing.thread,
            "topic": outgoing.topic,
            "request_id": outgoing.request_id,
        }
    )


def _addressees(view: View, acting: Acting, outgoing: Outgoing) -> list[Addressee]:
    """Resolve all lines; whoever stands in several lines gets one copy, by the first of them."""
    refs = {kind: _refs(getattr(outgoing, kind), kind) for kind in ("to", "cc", "bcc")}
    wanted = [ref for line in refs.values() for ref in line]
    known = candidates(view, wanted)
    if acting.files:
        known.append(acting.agent)
    resolve_each(wanted, known)
    found: dict[str, Addressee] = {}
    for kind, line in refs.items():
        for ref in line:
            agent = resolve(ref, known)
            found.setdefault(agent.id, Addressee(agent, kind))
    return list(found.values())


def _refs(names: Sequence[str], argument: str) -> list[AgentRef]:
    refs = []
    for name in names:
        ref = parse_recipient(name, argument)
        if not isinstance(ref, AgentRef):
            raise InvalidInput(
                f"invalid_{argument}",
                f"{argument} {name[:80]!r} is a fan-out; a letter goes to agents by name.",
                "Name each recipient, or use memory_message for a fan-out.",
                argument=argument,
            )
        refs.append(ref)
    return refs


def _draft(
    letter_id: str,
    caller: Caller,
    outgoing: Outgoing,
    addressees: list[Addressee],
    parent: LetterRow | None,
) -> Draft:
    parent_id = parent.letter.id if parent else None
    thread = outgoing.thread
    if thread is None and parent is not None:
        thread = parent.letter.thread or parent_id
    return Draft(
        id=letter_id,
        subject=outgoing.subject,
        text=outgoing.text,
        addressees=addressees,
        thread=thread,
        topic=outgoing.topic,
        reply_to=parent_id,
        importance=outgoing.importance,
        ack_required=outgoing.ack_required,
        origin=caller.origin,
        request_id=outgoing.request_id,
        request=_digest(outgoing, addressees, parent_id) if outgoing.request_id else None,
    )


def _digest(outgoing: Outgoing, addressees: Sequence[Addressee], parent: str | None) -> str:
    ids = {
        kind: [one.agent.id for one in addressees if one.kind == kind]
        for kind in ("to", "cc", "bcc")
    }
    return letter_digest(
        ids["to"],
        outgoing.subject,
        outgoing.text,
        cc=ids["cc"],
        bcc=ids["bcc"],
        importance=outgoing.importance,
        ack_required=outgoing.ack_required,
        thread=outgoing.thread,
        topic=outgoing.topic,
        reply_to=parent,
    )


def _letter_meant(view: View, text: str) -> LetterRow:
    found = letter(view.index, find_letter_id(view, text, "message_id"))
    assert found is not None  # find_letter_id found it in the same index
    return found


def _parent(view: View, outgoing: Outgoing) -> LetterRow | None:
    return None if outgoing.reply_to is None else _letter_meant(view, outgoing.reply_to)


def _first(view: View, me: Agent, outgoing: Outgoing) -> LetterRow | None:
    if outgoing.request_id is None:
        return None
    return request(view.index, me.name, outgoing.request_id)


def _repeat(view: View, outgoing: Outgoing, first: LetterRow) -> Sent:
    """Return the first answer to the identical send; recipients count as those of the first."""
    answer = repeated(view, first, None)
    known = [receipt.recipient for receipt in answer.receipts]
    addressees: dict[str, Addressee] = {}
    for kind in ("to", "cc", "bcc"):
        for name in getattr(outgoing, kind):
            meant = [agent for agent in known if refers_to(AgentRef(name), agent)]
            agent = meant[0] if meant else Agent(id=name, name=name, registered_at=view.now)
            addressees.setdefault(agent.id, Addressee(agent, kind))
    parent = first.letter.reply_to if outgoing.reply_to is not None else None
    if parent is not None and not parent.startswith((outgoing.reply_to or "").lower()):
        parent = "another"
    check_repeat(
        outgoing.request_id or "",
        first.letter.request or "",
        _digest(outgoing, list(addressees.values()), parent),
    )
    return answer
