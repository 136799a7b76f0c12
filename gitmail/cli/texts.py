"""Texts that a command is given: an argument, or standard input for `-`."""

from __future__ import annotations

import sys

import click

from gitmail.errors import InvalidInput
from gitmail.values.text import check_text


def read_text(message: str | None, limit: int) -> str:
    """Return the text of a letter: `message`, or standard input, byte for byte, for `-`.

    Raises click.UsageError without one (no editor is started: an agent's shell would hang in it),
    InvalidInput `invalid_text` for what is not UTF-8 or too long, however long that is.
    """
    if message is None:
        raise click.UsageError(
            "The text is missing: give it with -m TEXT, or with -m - on standard input.",
            click.get_current_context(),
        )
    if message != "-":
        return check_text(message, "text", limit)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise InvalidInput(
            "invalid_text",
            f"text has more than the {limit} bytes that a letter may have.",
            "Put the details into a file of the project and name its path.",
            argument="text",
            limit=limit,
        )
    try:
        return check_text(data.decode("utf-8"), "text", limit)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "invalid_text",
            f"standard input is not UTF-8 (byte {error.start}).",
            "Send text, not binary data.",
            argument="text",
        ) from None
