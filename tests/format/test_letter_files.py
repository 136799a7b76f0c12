"""Letters as files: canonical bytes, exact reading, marks spliced in, typed complaints."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import BrokenFile
from gitmail.format.letters import (
    LETTER_KEYS,
    MARK_KEYS,
    add_marks,
    letter_from_bytes,
    letter_to_bytes,
    remove_marks,
)
from gitmail.values.letter import IMPORTANCES, KINDS, ORIGINS, Letter, Marks
from gitmail.values.names import fresh_name

FILE = "mail/GreenCastle/inbox/20261130T200102Z-3f9a1c22-auth-refactor.md"
SENT = datetime(2026, 11, 30, 20, 1, 2, 123456, UTC)
LETTER = Letter(
    id="3f9a1c22e0b44d6f9d7a51c0a1b2c3d4",
    sender="BlueLake",
    to=("GreenCastle",),
    subject="Auth refactor needs your review",
    date=SENT,
    text="Please look at src/auth.",
)
BYTES = b"""\
---
id: 3f9a1c22e0b44d6f9d7a51c0a1b2c3d4
from: BlueLake
to: [GreenCastle]
subject: Auth refactor needs your review
date: 2026-11-30T20:01:02.123456+00:00
---

Please look at src/auth.
"""
FULL = replace(
    LETTER,
    to=("GreenCastle", "RedFox"),
    cc=("OldOak",),
    kind="cc",
    subject="no: really",
    thread="FEAT-123",
    topic="auth",
    reply_to="a" * 32,
    importance="urgent",
    ack_required=True,
    expires=SENT,
    clears="the staging password",
    origin="maintainer",
    request_id="007",
    request="all",
    wake={"decision": "rung", "ring_at": "2026-11-30T20:01:02+00:00"},
)
FULL_BYTES = b"""\
---
id: 3f9a1c22e0b44d6f9d7a51c0a1b2c3d4
from: BlueLake
to: [GreenCastle, RedFox]
cc: [OldOak]
kind: cc
subject: "no: really"
date: 2026-11-30T20:01:02.123456+00:00
thread: FEAT-123
topic: auth
reply_to: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
importance: urgent
ack_required: true
expires: 2026-11-30T20:01:02.123456+00:00
clears: the staging password
origin: maintainer
request_id: "007"
request: all
wake: {decision: rung, ring_at: "2026-11-30T20:01:02+00:00"}
read_at: 2026-11-30T20:01:02.123456+00:00
---

Please look at src/auth.
"""


def test_a_plain_letter_is_six_lines_and_its_text():
    assert letter_to_bytes(LETTER) == BYTES
    assert letter_from_bytes(BYTES, FILE, "GreenCastle").letter == LETTER


def test_every_key_has_its_place():
    assert letter_to_bytes(FULL, Marks(read_at=SENT)) == FULL_BYTES
    delivery = letter_from_bytes(FULL_BYTES, FILE, "GreenCastle")
    assert delivery.letter == FULL
    assert delivery.marks == Marks(read_at=SENT)
    assert (delivery.recipient, delivery.path) == ("GreenCastle", FILE)


names = st.integers(0, 10**9).map(lambda seed: fresh_name(lambda words: words[seed % len(words)]))
lines = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=60
)
lines = lines.filter(lambda text: text.strip() != "")
moments = st.datetimes(timezones=st.just(UTC))
ids = st.binary(min_size=16, max_size=16).map(bytes.hex)
letters = st.builds(
    Letter,
    id=ids,
    sender=names,
    to=st.lists(names, min_size=1, max_size=3).map(tuple),
    subject=lines,
    date=moments,
    text=st.text(st.characters(codec="utf-8"), max_size=120),
    cc=st.lists(names, max_size=2).map(tuple),
    kind=st.sampled_from(KINDS),
    thread=st.none() | lines,
    topic=st.none() | lines,
    reply_to=st.none() | ids,
    importance=st.sampled_from(IMPORTANCES),
    ack_required=st.booleans(),
    expires=st.none() | moments,
    clears=st.none() | lines,
    origin=st.sampled_from(ORIGINS),
    request_id=st.none() | lines,
    request=st.none() | lines,
    wake=st.dictionaries(st.sampled_from(["decision", "reason", "cap"]), lines),
)
marks = st.builds(Marks, st.none() | moments, st.none() | moments, st.none() | moments)


@given(letters, marks)
@settings(max_examples=200, deadline=None)
def test_every_letter_comes_back_as_it_was_sent(letter, made):
    delivery = letter_from_bytes(letter_to_bytes(letter, made), FILE, "GreenCastle")
    assert delivery.letter == letter
    assert delivery.marks == made


@given(letters, marks)
@settings(max_examples=100, deadline=None)
def test_a_file_of_ours_is_written_again_byte_for_byte(letter, made):
    data = letter_to_bytes(letter, made)
    delivery = letter_from_bytes(data, FILE, "GreenCastle")
    assert letter_to_bytes(delivery.letter, delivery.marks) == data


@given(letters, st.dictionaries(st.sampled_from(MARK_KEYS), moments))
@settings(max_examples=100, deadline=None)
def test_marks_are_added_and_taken_away_without_touching_a_byte(letter, added):
    data = letter_to_bytes(letter)
    marked = add_marks(data, FILE, added)
    assert letter_from_bytes(marked, FILE, "GreenCastle").marks == Marks(**added)
    assert remove_marks(marked, FILE) == data
    assert marked == letter_to_bytes(letter, Marks(**added))


def test_a_mark_is_set_once():
    marked = add_marks(BYTES, FILE, {"read_at": SENT})
    with pytest.raises(BrokenFile) as caught:
        add_marks(marked, FILE, {"read_at": SENT})
    assert caught.value.line == 7


def test_only_marks_are_added():
    with pytest.raises(ValueError, match="subject"):
        add_marks(BYTES, FILE, {"subject": SENT})


def test_a_comment_and_an_unknown_key_survive_a_mark():
    data = BYTES.replace(b"from: BlueLake\n", b"from: BlueLake  # me\n# a note\nx-mood: [fine]\n")
    marked = add_marks(data, FILE, {"acknowledged_at": SENT})
    assert b"from: BlueLake  # me\n# a note\nx-mood: [fine]\n" in marked
    assert letter_from_bytes(marked, FILE, "GreenCastle").letter == LETTER


def test_a_letter_saved_by_notepad_is_the_same_letter_and_keeps_its_line_ends():
    data = b"\xef\xbb\xbf" + BYTES.replace(b"\n", b"\r\n")
    assert letter_from_bytes(data, FILE, "GreenCastle").letter == LETTER
    marked = add_marks(data, FILE, {"read_at": SENT})
    assert marked.startswith(b"\xef\xbb\xbf---\r\n")
    assert b"read_at: 2026-11-30T20:01:02.123456+00:00\r\n---\r\n" in marked
    assert marked.count(b"\n") == marked.count(b"\r\n")
    assert remove_marks(marked, FILE) == data


def test_a_letter_written_by_hand_may_use_any_time_one_name_and_empty_keys():
    data = BYTES.replace(b"[GreenCastle]", b"GreenCastle").replace(b"123456+00:00", b"123456Z")
    data = data.replace(b"date:", b"thread:\ncc: []\nexpires: ''\ndate:")
    assert letter_from_bytes(data, FILE, "GreenCastle").letter == LETTER


def test_a_blind_copy_may_name_nobody():
    blind = replace(LETTER, to=(), kind="bcc")
    assert letter_from_bytes(letter_to_bytes(blind), FILE, "GreenCastle").letter == blind


@pytest.mark.parametrize("key", ["id", "from", "to", "subject", "date"])
def test_a_required_key_that_is_missing_is_named(key):
    kept = [line for line in BYTES.split(b"\n") if not line.startswith(key.encode() + b":")]
    with pytest.raises(BrokenFile, match=f"the header has no '{key}'") as caught:
        letter_from_bytes(b"\n".join(kept), FILE, "GreenCastle")
    assert caught.value.file == FILE


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "3f9a1c22"),
        ("id", "3F9A1C22E0B44D6F9D7A51C0A1B2C3D4"),
        ("id", ""),
        ("id", "[a]"),
        ("from", "human overseer"),
        ("from", "maintainer"),
        ("from", "[BlueLake]"),
        ("to", "[]"),
        ("to", "{a: b}"),
        ("to", "[all]"),
        ("to", "['../../x']"),
        ("cc", "a b"),
        ("kind", "TO"),
        ("subject", ""),
        ("subject", "[a]"),
        ("subject", '"a\\nb"'),
        ("subject", '"\\e[31m"'),
        ("subject", "x" * 201),
        ("date", "yesterday"),
        ("date", "[2026-01-01]"),
        ("expires", "soon"),
        ("read_at", "yes"),
        ("reply_to", "3f9a1c22"),
        ("importance", "Urgent"),
        ("ack_required", "yes"),
        ("ack_required", "True"),
        ("ack_required", "1"),
        ("origin", "human"),
        ("thread", "[a]"),
        ("wake", "rung"),
        ("wake", "[rung]"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_file_line_and_key(key, value):
    kept = [line for line in BYTES.decode().split("\n") if not line.startswith(key + ":")]
    kept.insert(2, f"{key}: {value}")
    with pytest.raises(BrokenFile) as caught:
        letter_from_bytes("\n".join(kept).encode(), FILE, "GreenCastle")
    assert repr(key) in caught.value.problem
    assert caught.value.line == 3
    assert caught.value.file == FILE


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "x"},
        {"sender": "a b"},
        {"to": ()},
        {"subject": "a\nb"},
        {"thread": "a\nb"},
        {"kind": "x"},
    ],
)
def test_a_letter_nobody_could_read_back_is_never_written(changes):
    with pytest.raises(BrokenFile):
        letter_to_bytes(replace(LETTER, **changes))


def test_the_order_of_keys_is_a_promise():
    assert [*LETTER_KEYS, *MARK_KEYS] == [
        "id", "from", "to", "cc", "kind", "subject", "date", "thread", "topic", "reply_to",
        "importance", "ack_required", "expires", "clears", "origin", "request_id", "request",
        "wake", "first_read_at", "read_at", "acknowledged_at",
    ]  # fmt: skip
