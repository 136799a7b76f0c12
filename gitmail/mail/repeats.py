"""The answer to a request that was answered before: the same letter, its state as it is now."""

from __future__ import annotations

from gitmail.board.presence import Presence
from gitmail.index.agents import agent_by_name
from gitmail.index.rows import DeliveryRow, LetterRow
from gitmail.mail.deliver import Receipt, Sent
from gitmail.store.private import PrivateState
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.receipt import from_header


def repeated(view: View, first: LetterRow, asked: str | None) -> Sent:
    """Return the first answer again: same ids, same wake decision, states computed anew."""
    receipts = tuple(_receipt(view, copy) for copy in first.deliveries)
    return Sent(first.letter, receipts, asked, repeated=True)


def _receipt(view: View, copy: DeliveryRow) -> Receipt:
    row = agent_by_name(view.index, copy.delivery.recipient)
    name = copy.delivery.recipient
    agent = row.agent if row else Agent(id="", name=name, registered_at=copy.letter.date)
    return Receipt(
        recipient=agent,
        kind=copy.letter.kind,
        letter=copy.letter,
        wake=from_header(copy.letter.wake),
        attached=Presence(PrivateState.of_store(view.tree.top)).seen(name).attached,
        acknowledged_at=copy.delivery.marks.acknowledged_at,
    )
