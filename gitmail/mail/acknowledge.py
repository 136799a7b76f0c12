"""Reading and acknowledging: the mailbox's owner marks a delivery, each mark once.

Acknowledged means read, not done. Everything here is idempotent: the first time wins, a repeat
writes nothing (contract: memory_message ack; fetch_inbox family, mark_message_read).
"""

from __future__ import annotations

from dataclasses import dataclass

from gitmail.board.caller import Caller
from gitmail.errors import InvalidInput, NotFound
from gitmail.index.letters import delivery, letter_ids
from gitmail.index.rows import DeliveryRow
from gitmail.mail.marks import ACKNOWLEDGED, READ, marked, marking
from gitmail.mail.references import ambiguous_letter, own_delivery
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.ids import id_or_prefix
from gitmail.values.letter import Delivery

MOST_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What became of a list of ids: the deliveries in the order given, and the ids nobody knows."""

    deliveries: tuple[Delivery, ...]
    missing: tuple[str, ...]


def acknowledge(store: Store, caller: Caller, ids: list[str]) -> Acknowledged:
    """Acknowledge up to 50 letters of the caller's mailbox, by id or prefix; one commit.

    An ambiguous prefix refuses the whole call (`ambiguous_message_id`); an id that is unknown is
    reported as missing. Raises InvalidInput `invalid_message_id` for a malformed id or too many.
    """
    prefixes = [id_or_prefix(text, "message_id") for text in ids]
    if not prefixes or len(prefixes) > MOST_AT_ONCE:
        raise InvalidInput(
            "invalid_message_id",
            f"ack takes 1 to {MOST_AT_ONCE} ids at a time, not {len(prefixes)}.",
            "Acknowledge the rest in a second call.",
            argument="message_id",
        )

    def decide(view: View) -> Change[Acknowledged] | NoChange[Acknowledged]:
        acting = caller.acting(view)
        rows, missing = _find(view, acting.agent.name, prefixes)
        files = marking(view, rows, ACKNOWLEDGED, view.now)
        fresh = [row for row in rows if row.delivery.marks.acknowledged_at is None]
        done = tuple(marked(row.delivery, ACKNOWLEDGED, view.now) for row in rows)
        answer = Acknowledged(done, tuple(missing))
        if not fresh:
            return NoChange(answer)
        message = sentences.acknowledged(acting.agent.name, _unique(fresh))
        return Change({**acting.files, **files}, message, answer, acting.author)

    return store.write(caller.author, decide).result


def acknowledge_one(store: Store, caller: Caller, message_id: str) -> Delivery:
    """Acknowledge one letter; raises NotFound `message_not_found` when it is not in the mailbox."""
    answer = acknowledge(store, caller, [message_id])
    if answer.missing:
        raise _not_in_mailbox(message_id)
    return answer.deliveries[0]


def mark_read(store: Store, caller: Caller, message_id: str) -> Delivery:
    """Mark one letter of the caller's mailbox as read; the first time wins.

    Raises NotFound `message_not_found`, InvalidInput `ambiguous_message_id`.
    """

    def decide(view: View) -> Change[Delivery] | NoChange[Delivery]:
        acting = caller.acting(view)
        row = own_delivery(view, acting.agent.name, message_id)
        files = marking(view, [row], READ, view.now)
        after = marked(row.delivery, READ, view.now)
        if not files:
            return NoChange(after)
        message = sentences.read(acting.agent.name, [(row.letter.id, row.letter.subject)])
        return Change(files, message, after, acting.author)

    return store.write(caller.author, decide).result


def _find(view: View, owner: str, prefixes: list[str]) -> tuple[list[DeliveryRow], list[str]]:
    rows: list[DeliveryRow] = []
    missing = []
    for prefix in prefixes:
        found = letter_ids(view.index, prefix, recipient=owner)
        if len(found) > 1:
            raise ambiguous_letter(prefix, found)
        row = delivery(view.index, found[0], owner) if found else None
        if row is None:
            missing.append(prefix)
        else:
            rows.append(row)
    return rows, missing


def _unique(rows: list[DeliveryRow]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row.letter.id, row.letter.subject) for row in rows))


def _not_in_mailbox(message_id: str) -> NotFound:
    return NotFound(
        "message_not_found",
        f"There is no letter {message_id[:40]!r} in this mailbox.",
        "Only its recipient acknowledges a letter; `receive` lists what waits.",
        message_id=message_id[:40],
    )
