"""Opaque cursors: where the next page of a mailbox begins.

A cursor names the action, the mailbox, the commit of main that the page was taken from, the last
key in that page's order and, for history, the peer (contract: receive). Its text is the URL-safe
base64 of compact JSON with a short checksum: not a secret, only guarded against being cut, mixed
up or invented.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from gitmail.errors import InvalidInput

Action = Literal["receive", "history"]

_VERSION = 1
_CHECKSUM_CHARS = 8
_MAX_CHARS = 1024
_TEXT = re.compile(r"[A-Za-z0-9_-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_HINTS = {
    "malformed": "Pass `after` exactly as the last call returned it, or leave it out.",
    "other_action": "Use a cursor only with the action that returned it, or leave `after` out.",
    "other_mailbox": "Use a cursor only for the mailbox that returned it, or leave `after` out.",
    "other_peer": "Page on with the same `peer` as before, or leave `after` out.",
    "cursor_ahead": "This mailbox has not come that far here; leave `after` out to begin anew.",
}


@dataclass(frozen=True, slots=True)
class Cursor:
    """One place in one mailbox's arrivals (receive) or in one agent's letters (history).

    `mailbox` is the id of the agent whose mailbox it is, `main` the commit of the page's snapshot,
    `key` the last key in that snapshot's order, `peer` the id of history's one peer, if any.
    """

    action: Action
    mailbox: str
    main: str
    key: str
    peer: str | None = None


def encode_cursor(cursor: Cursor) -> str:
    """Return the cursor as the text that goes to the caller: only `A-Z a-z 0-9 - _`."""
    fields = [_VERSION, cursor.action, cursor.mailbox, cursor.main, cursor.key, cursor.peer]
    body = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    return base64.urlsafe_b64encode(_checksum(body) + body).decode("ascii").rstrip("=")


def decode_cursor(text: str, action: Action, mailbox: str, peer: str | None = None) -> Cursor:
    """Return the cursor that `text` stands for, for this action, mailbox and peer only.

    Raises InvalidInput `invalid_cursor` with `detail` malformed, other_action, other_mailbox or
    other_peer. Whether main still holds `cursor.main` is the caller's to ask (`cursor_ahead`).
    """
    cursor = _parse(text)
    if cursor.action != action:
        raise invalid_cursor("other_action", f"This cursor belongs to {cursor.action}.")
    if cursor.mailbox != mailbox:
        raise invalid_cursor("other_mailbox", "This cursor belongs to another mailbox.")
    if cursor.peer != peer:
        raise invalid_cursor("other_peer", "This cursor belongs to another choice of peer.")
    return cursor


def cursor_ahead() -> InvalidInput:
    """Return the error for a cursor beyond what this mailbox has seen."""
    return invalid_cursor("cursor_ahead", "This cursor is beyond what this mailbox has seen.")


def invalid_cursor(detail: str, message: str) -> InvalidInput:
    """Return the one error of cursors, with the next step for its kind."""
    return InvalidInput("invalid_cursor", message, _HINTS[detail], detail=detail, argument="after")


def _parse(text: str) -> Cursor:
    """Undo `encode_cursor`; anything it could not have written is malformed."""
    fields = _fields(text)
    if not _well_formed(fields):
        raise invalid_cursor("malformed", "This is not a cursor of gitmail.")
    cursor = Cursor(*fields[1:])
    if encode_cursor(cursor) != text:
        raise invalid_cursor("malformed", "This is not a cursor of gitmail.")
    return cursor


def _fields(text: str) -> Any:
    """Return the decoded JSON behind `text`, or None where there is none or it was altered."""
    if len(text) > _MAX_CHARS or not _TEXT.fullmatch(text):
        return None
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        checksum, body = raw[: _CHECKSUM_CHARS // 2], raw[_CHECKSUM_CHARS // 2 :]
        return json.loads(body) if checksum == _checksum(body) else None
    except (binascii.Error, ValueError, RecursionError):
        return None


def _well_formed(fields: Any) -> bool:
    """Tell whether decoded JSON has a cursor's fields, each of its type and form."""
    if not isinstance(fields, list) or len(fields) != 6:
        return False
    version, action, mailbox, main, key, peer = fields
    texts = all(isinstance(value, str) and value for value in (action, mailbox, main, key))
    return (
        version is not True
        and version == _VERSION
        and texts
        and action in ("receive", "history")
        and _COMMIT.fullmatch(main) is not None
        and (peer is None or (action == "history" and isinstance(peer, str) and peer != ""))
    )


def _checksum(body: bytes) -> bytes:
    """Return a few bytes that tell an altered cursor from one that gitmail wrote."""
    return hashlib.sha256(b"gitmail cursor\n" + body).digest()[: _CHECKSUM_CHARS // 2]
