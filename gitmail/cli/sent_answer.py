"""The answer of `send` and `reply`."""

from __future__ import annotations

from gitmail.cli.app import App
from gitmail.cli.shapes import SHORT_ID, letter_shape
from gitmail.mail.deliver import Receipt, Sent


def answer_sent(app: App, sent: Sent) -> None:
    """Say what was sent to whom."""
    letter = sent.letter
    names = ", ".join(receipt.recipient.name for receipt in sent.receipts)
    shape = letter_shape(letter) | {"receipts": [_shape(receipt) for receipt in sent.receipts]}
    app.answer(shape, [f"sent {letter.id[:SHORT_ID]} to {names}: {letter.subject}"])


def _shape(receipt: Receipt) -> dict[str, object]:
    return {
        "recipient": receipt.recipient.name,
        "kind": receipt.kind,
        "wake": receipt.wake.to_result() if receipt.wake else None,
        "attached": receipt.attached,
    }
