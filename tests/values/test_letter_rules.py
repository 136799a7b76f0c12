"""What may happen to a delivered letter, as rules over values."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest

from gitmail.values.letter import Delivery, Letter, Marks
from gitmail.values.paths import classify
from gitmail.values.rules import letter_changes, mark_changes, marks_added, may_mark, place_problems

SENT = datetime(2026, 11, 30, 20, 1, 2, tzinfo=UTC)
LATER = SENT + timedelta(hours=1)
LETTER = Letter("3f9a1c22" + "0" * 24, "BlueLake", ("RedFox",), "Hi", SENT, "text")
NAME = "20261130T200102Z-3f9a1c22-hi.md"
OTHER_VALUES = {
    "id": "a" * 32,
    "sender": "X",
    "to": ("X",),
    "subject": "X",
    "date": LATER,
    "text": "X",
    "cc": ("X",),
    "kind": "cc",
    "thread": "X",
    "topic": "X",
    "reply_to": "b" * 32,
    "importance": "high",
    "ack_required": True,
    "expires": LATER,
    "clears": "X",
    "origin": "maintainer",
    "request_id": "X",
    "request": "X",
    "wake": {"decision": "rung"},
}


def problems(letter, marks, path):
    return place_problems(Delivery(letter, "RedFox", marks, path), classify(path))


def test_an_unchanged_letter_has_no_problem():
    assert letter_changes(LETTER, replace(LETTER)) == []


@pytest.mark.parametrize("field", [field.name for field in fields(Letter)])
def test_every_key_of_the_sender_and_the_text_are_fixed(field):
    found = letter_changes(LETTER, replace(LETTER, **{field: OTHER_VALUES[field]}))
    assert len(found) == 1
    assert {"sender": "from"}.get(field, field) in found[0]


def test_marks_are_added_once_and_stay():
    read = Marks(read_at=SENT)
    assert mark_changes(Marks(), read) == []
    assert marks_added(Marks(), read)
    assert not marks_added(read, read)
    assert "set anew" in mark_changes(read, Marks(read_at=LATER))[0]
    assert "taken away" in mark_changes(read, Marks())[0]


def test_an_undo_may_take_a_mark_away_but_not_move_it():
    read = Marks(read_at=SENT)
    assert mark_changes(read, Marks(), exempt=True) == []
    assert mark_changes(read, Marks(read_at=LATER), exempt=True)


def test_the_folder_says_whether_a_letter_still_waits():
    inbox, archive = f"mail/RedFox/inbox/{NAME}", f"mail/RedFox/archive/2026/11/30/{NAME}"
    read, acknowledged = Marks(read_at=SENT), Marks(read_at=SENT, acknowledged_at=SENT)
    asking = replace(LETTER, ack_required=True)
    assert problems(LETTER, Marks(), inbox) == []
    assert problems(LETTER, read, archive) == []
    assert problems(asking, read, inbox) == []
    assert problems(asking, acknowledged, archive) == []
    assert "inbox" in problems(LETTER, read, inbox)[0]
    assert problems(LETTER, Marks(), archive) == []  # put away by its owner, as it is


def test_the_archives_day_is_the_letters_and_the_name_holds_its_id():
    read = Marks(read_at=SENT)
    assert (
        "sent on 2026/11/30" in problems(LETTER, read, f"mail/RedFox/archive/2026/12/01/{NAME}")[0]
    )
    other = "mail/RedFox/inbox/20261130T200102Z-aaaaaaaa-hi.md"
    assert "aaaaaaaa" in problems(LETTER, Marks(), other)[0]


def test_only_the_owner_marks():
    assert may_mark("redfox", "RedFox")
    assert not may_mark("BlueLake", "RedFox")
