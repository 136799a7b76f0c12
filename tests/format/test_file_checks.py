"""What a push or a hand may do to the store's files: every rule once, over bytes and paths."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gitmail.format.checks import (
    check_changed_file,
    check_letter_change,
    check_new_file,
    check_removed_file,
)
from gitmail.format.config import default_config_text
from gitmail.format.letters import add_marks, letter_to_bytes
from gitmail.values.letter import Letter
from gitmail.values.paths import ATTRIBUTES_TEXT

SENT = datetime(2026, 11, 30, 20, 1, 2, 123456, UTC)
NAME = "20261130T200102Z-3f9a1c22-hi.md"
INBOX = f"mail/RedFox/inbox/{NAME}"
ARCHIVE = f"mail/RedFox/archive/2026/11/30/{NAME}"
LETTER = Letter("3f9a1c22" + "0" * 24, "BlueLake", ("RedFox",), "Hi", SENT, "text")
BYTES = letter_to_bytes(LETTER)
READ = add_marks(BYTES, INBOX, {"read_at": SENT})
PROFILE = b"---\nid: " + b"b" * 32 + b"\nname: RedFox\nregistered_at: 2026-11-30T00:00:00Z\n---\n"


@pytest.mark.parametrize(
    ("path", "data"),
    [
        (INBOX, BYTES),
        (ARCHIVE, READ),
        ("agents/RedFox.md", PROFILE),
        ("mail/RedFox/inbox/.keep", b""),
        ("gitmail.toml", default_config_text("shop").encode()),
        (".gitattributes", ATTRIBUTES_TEXT.encode()),
        ("README.md", b"anything"),
    ],
)
def test_a_file_that_follows_the_format_may_appear(path, data):
    assert check_new_file(path, data) == []


@pytest.mark.parametrize(
    ("path", "data", "problem"),
    [
        ("src/main.py", b"x", "no such path"),
        ("mail/RedFox/inbox/.hidden.md", BYTES, "no such path"),
        ("mail/RedFox/inbox/hello.md", BYTES, "not named like"),
        (INBOX, b"hello", "first line"),
        (INBOX, BYTES.replace(b"id: ", b"Id: "), "no 'id'"),
        (INBOX, READ, "handled letter lies in inbox/"),
        (ARCHIVE.replace("11/30", "12/01"), READ, "sent on 2026/11/30"),
        (INBOX.replace("3f9a1c22", "aaaaaaaa"), BYTES, "aaaaaaaa"),
        ("agents/BlueLake.md", PROFILE, "named 'BlueLake.md'"),
        ("mail/RedFox/inbox/.keep", b"x", "must be empty"),
        ("gitmail.toml", b"format = 2\n", "format = 2"),
        ("gitmail.toml", b"format = 1\n", "name"),
        (".gitattributes", b"* text=auto\n", "must hold exactly"),
        ("memories/00xx/0012-x.md", b"x", "first line"),
        ("reservations/7c1e90ab-x.md", b"x", "first line"),
        (INBOX, BYTES + b"x" * 600_000, "more than"),
    ],
)
def test_a_file_against_the_format_may_not_appear(path, data, problem):
    (found,) = check_new_file(path, data)
    assert problem in found
    assert found.startswith(path)


def test_a_new_letter_is_its_authors_and_brings_no_marks():
    assert check_new_file(INBOX, BYTES, author="bluelake") == []
    assert "author is RedFox" in check_new_file(INBOX, BYTES, author="RedFox")[0]
    assert "brings marks" in check_new_file(ARCHIVE, READ, author="BlueLake")[-1]


def test_the_owner_may_mark_and_move_a_letter():
    assert check_letter_change(INBOX, BYTES, ARCHIVE, READ, author="RedFox") == []
    asking = letter_to_bytes(replace(LETTER, ack_required=True))
    shown = add_marks(asking, INBOX, {"first_read_at": SENT})
    assert check_changed_file(INBOX, asking, shown, author="redfox") == []


def test_nobody_else_may_mark():
    (found,) = check_letter_change(INBOX, BYTES, ARCHIVE, READ, author="BlueLake")
    assert "BlueLake set a mark in the mailbox of RedFox" in found


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b"from: BlueLake", b"from: OldOak", "'from' was changed"),
        (b"subject: Hi", b"subject: Ho", "'subject' was changed"),
        (b"\ntext\n", b"\ntext!\n", "the text was changed"),
        (b"from: BlueLake\n", b"from: BlueLake # not me\n", "beyond the owner's marks"),
        (b"from: BlueLake\n", b"from: BlueLake\nmood: bad\n", "beyond the owner's marks"),
        (b"from: BlueLake\n", b"from: 'BlueLake'\n", "beyond the owner's marks"),
        (b"subject: Hi\n", b"subject: Hi\nsubject: Ho\n", "already on line"),
    ],
)
def test_what_was_sent_never_changes(old, new, problem):
    (found,) = check_changed_file(INBOX, BYTES, BYTES.replace(old, new), author="RedFox")
    assert problem in found


def test_a_mark_is_set_once_and_stays_but_for_an_undo():
    moved = READ.replace(b"read_at: 2026-11-30", b"read_at: 2026-12-30")
    assert "set anew" in check_changed_file(ARCHIVE, READ, moved)[0]
    assert "taken away" in check_letter_change(ARCHIVE, READ, INBOX, BYTES)[0]
    assert check_letter_change(ARCHIVE, READ, INBOX, BYTES, author="PatPerson", exempt=True) == []
    assert "set anew" in check_changed_file(ARCHIVE, READ, moved, exempt=True)[0]


@pytest.mark.parametrize(
    ("new_path", "problem"),
    [
        (INBOX.replace("-hi", "-ho"), "renamed"),
        (INBOX.replace("RedFox", "OldOak"), "another mailbox"),
        ("memories/00xx/0001-x.md", "left the mailboxes"),
        (ARCHIVE, "put away a letter that waits for RedFox"),
    ],
)
def test_a_letter_moves_only_between_its_own_two_folders(new_path, problem):
    (found,) = check_letter_change(INBOX, BYTES, new_path, BYTES, author="OldOak")
    assert problem in found


def test_the_owner_may_put_away_what_waits_and_nobody_delivers_into_the_archive():
    assert check_letter_change(INBOX, BYTES, ARCHIVE, BYTES, author="RedFox") == []
    assert "in archive/" in check_new_file(ARCHIVE, BYTES, author="BlueLake")[0]


def test_a_mailbox_may_retire_with_its_letters():
    retired = INBOX.replace("mail/", "mail/retired/")
    assert check_letter_change(INBOX, BYTES, retired, BYTES) == []


def test_an_expired_letter_is_put_away_as_it_is():
    expiring = letter_to_bytes(replace(LETTER, expires=SENT))
    assert check_letter_change(INBOX, expiring, ARCHIVE, expiring, author="OldOak") == []


def test_a_broken_letter_is_not_blamed_on_whoever_moves_it():
    assert check_letter_change(INBOX, b"x", ARCHIVE, b"x") == []
    assert check_letter_change(INBOX, b"x", INBOX, b"y")


def test_a_profile_may_be_edited_as_long_as_it_follows_the_format():
    assert check_changed_file("agents/RedFox.md", PROFILE, PROFILE + b"\nnotes\n") == []
    assert check_changed_file("agents/RedFox.md", PROFILE, b"x")


@pytest.mark.parametrize(
    ("path", "may_go"),
    [
        (INBOX, False),
        (ARCHIVE, False),
        ("agents/RedFox.md", False),
        ("gitmail.toml", False),
        ("mail/RedFox/inbox/.keep", False),
        ("memories/00xx/0012-x.md", True),
        ("reservations/7c1e90ab-x.md", True),
        ("stray.txt", True),
    ],
)
def test_what_may_be_removed(path, may_go):
    assert (check_removed_file(path) == []) is may_go
    assert check_removed_file(path, exempt=True) == []
