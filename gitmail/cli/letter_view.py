"""One whole letter, as `read` and `show` print it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from gitmail.cli.app import App
from gitmail.cli.output import Table
from gitmail.cli.shapes import delivery_shape, receipt_shape, receipt_words
from gitmail.index.letters import deliveries_of
from gitmail.index.rows import DeliveryRow
from gitmail.mail.opened import Opened
from gitmail.store.store import Store
from gitmail.values.names import fold


def copies(store: Store, opened: Opened, viewer: str) -> list[DeliveryRow]:
    """Return the copies of a letter that `viewer` may know of: blind ones as a party to them."""
    found = store.read(lambda view: deliveries_of(view.index, opened.letter.id))
    me = fold(viewer)
    return [
        row
        for row in found
        if row.letter.kind != "bcc" or me in (fold(row.letter.sender), fold(row.delivery.recipient))
    ]


def letter_shape_of(
    opened: Opened, receipts: Sequence[DeliveryRow], now: datetime
) -> dict[str, Any]:
    """Return a whole letter for --json, with everyone's receipts."""
    return delivery_shape(opened.row, now) | {
        "text": opened.text,
        "verified": opened.verified,
        "receipts": [receipt_shape(row, now) for row in receipts],
    }


def print_letter(app: App, opened: Opened) -> None:
    """Print the header in words, an empty line, and the text."""
    letter = opened.letter
    known = {
        "From": letter.sender + ("" if opened.verified else "  (not verified)"),
        "To": ", ".join(letter.to),
        "Cc": ", ".join(letter.cc),
        "Date": letter.date.strftime("%Y-%m-%d %H:%M:%S UTC"),
        "Subject": letter.subject,
        "Thread": letter.thread,
        "Topic": letter.topic,
        "Importance": None if letter.importance == "normal" else letter.importance,
        "Answers": letter.reply_to,
        "Id": letter.id,
    }
    app.output.lines(f"{key + ':':<12}{value}" for key, value in known.items() if value)
    if letter.ack_required and opened.row.delivery.marks.acknowledged_at is None:
        app.output.lines([f"{'Asks:':<12}to be acknowledged (gitmail ack {letter.id[:8]})"])
    app.output.lines([""])
    app.output.text(opened.text)


def print_receipts(app: App, receipts: Sequence[DeliveryRow]) -> None:
    """Print who did what with the letter, and when."""
    app.output.lines([""])
    rows = [(row.delivery.recipient, row.letter.kind, receipt_words(row)) for row in receipts]
    app.output.table(Table(("recipient", "kind", "what became of it"), rows))
