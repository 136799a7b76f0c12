"""Cursors: they come back as they were, and only where they belong."""

from __future__ import annotations

import base64
import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import InvalidInput
from gitmail.values.cursors import Cursor, cursor_ahead, decode_cursor, encode_cursor

BOX, OTHER_BOX, MAIN = "a" * 32, "b" * 32, "c" * 40
RECEIVE = Cursor("receive", BOX, MAIN, "20261130T200102Z-3f9a1c22-auth.md")
HISTORY = Cursor("history", BOX, MAIN, "000123", peer=OTHER_BOX)
TEXT = encode_cursor(RECEIVE)


def detail(text: str, action: str = "receive", mailbox: str = BOX, peer: str | None = None) -> str:
    with pytest.raises(InvalidInput) as raised:
        decode_cursor(text, action, mailbox, peer)  # type: ignore[arg-type]
    assert raised.value.code == "invalid_cursor"
    assert raised.value.hint
    return str(raised.value.facts["detail"])


@settings(max_examples=200, deadline=None)
@given(key=st.text(min_size=1, max_size=60), peer=st.none() | st.text(min_size=1, max_size=32))
def test_a_cursor_comes_back_as_it_was(key: str, peer: str | None) -> None:
    cursor = Cursor("history", BOX, MAIN, key, peer)
    text = encode_cursor(cursor)
    assert set(text) <= set(string.ascii_letters + string.digits + "-_")
    assert decode_cursor(text, "history", BOX, peer) == cursor


def test_the_same_place_has_one_cursor() -> None:
    assert encode_cursor(RECEIVE) == encode_cursor(Cursor("receive", BOX, MAIN, RECEIVE.key))


@pytest.mark.parametrize(
    ("cursor", "asked", "expected"),
    [
        (RECEIVE, {"action": "history"}, "other_action"),
        (HISTORY, {"action": "receive"}, "other_action"),
        (RECEIVE, {"mailbox": OTHER_BOX}, "other_mailbox"),
        (HISTORY, {"action": "history"}, "other_peer"),
        (HISTORY, {"action": "history", "peer": BOX}, "other_peer"),
        (Cursor("history", BOX, MAIN, "1"), {"action": "history", "peer": BOX}, "other_peer"),
    ],
)
def test_a_cursor_belongs_to_one_action_mailbox_and_peer(
    cursor: Cursor, asked: dict[str, str], expected: str
) -> None:
    assert detail(encode_cursor(cursor), **asked) == expected


def _forged(fields: object, prefix: bytes | None = None) -> str:
    import hashlib

    body = json.dumps(fields, separators=(",", ":")).encode()
    check = hashlib.sha256(b"gitmail cursor\n" + body).digest()[:4] if prefix is None else prefix
    return base64.urlsafe_b64encode(check + body).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0",
        "5",
        "hello",
        TEXT[:-1],
        TEXT[1:],
        TEXT + "A",
        TEXT + "=",
        TEXT + "\n",
        " " + TEXT,
        TEXT.swapcase(),
        TEXT.replace("a", "\u0430"),
        "A" * 2000,
        "\u00e9" * 40,
        _forged([1, "receive", BOX, MAIN, "k", None], b"\0\0\0\0"),
        _forged([2, "receive", BOX, MAIN, "k", None]),
        _forged([True, "receive", BOX, MAIN, "k", None]),
        _forged([1, "send", BOX, MAIN, "k", None]),
        _forged([1, ["receive"], BOX, MAIN, "k", None]),
        _forged([1, "receive", BOX, "HEAD", "k", None]),
        _forged([1, "receive", BOX, MAIN, "", None]),
        _forged([1, "receive", BOX, MAIN, 7, None]),
        _forged([1, "receive", BOX, MAIN, "k", OTHER_BOX]),
        _forged([1, "receive", BOX, MAIN, "k"]),
        _forged({"action": "receive"}),
        _forged("receive"),
    ],
)
def test_what_gitmail_did_not_write_is_malformed(text: str) -> None:
    assert detail(text) == "malformed"


@settings(max_examples=300, deadline=None)
@given(at=st.integers(0, len(TEXT) - 1), char=st.sampled_from(string.ascii_letters + "0_-"))
def test_no_altered_cursor_is_taken_for_another_place(at: int, char: str) -> None:
    altered = TEXT[:at] + char + TEXT[at + 1 :]
    if altered != TEXT:
        assert detail(altered) == "malformed"


def test_a_place_not_yet_reached_has_its_own_detail() -> None:
    error = cursor_ahead()
    assert (error.code, error.facts["detail"]) == ("invalid_cursor", "cursor_ahead")
