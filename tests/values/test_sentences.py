"""Commit messages: readable sentences, trailers for machines, nothing forged, nobody revealed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.values import sentences
from gitmail.values.letter import Letter
from gitmail.values.sentences import Message, parse_trailers, render
from gitmail.values.text import columns

ID = "3f9a1c22e0b44d6f9d7a51c0a1b2c3d4"


def letter(**changes) -> Letter:
    values = {
        "id": ID,
        "sender": "BlueLake",
        "to": ("GreenCastle",),
        "subject": "Auth refactor needs your review",
        "date": datetime(2026, 11, 30, tzinfo=UTC),
        "text": "x",
    }
    return Letter(**(values | changes))


def test_a_letters_message_is_the_one_in_the_design():
    assert render(sentences.mail(letter(thread="FEAT-123"))) == (
        "mail: BlueLake -> GreenCastle: Auth refactor needs your review\n"
        "\n"
        f"Message-Id: {ID}\n"
        "To: GreenCastle\n"
        "Thread: FEAT-123\n"
    )


def test_many_recipients_are_counted_in_the_sentence_and_named_in_trailers():
    names = ("GreenCastle", "RedFox", "A", "B")
    message = sentences.mail(letter(to=names, cc=("C",), subject="Hi"))
    assert message.subject == "mail: BlueLake -> GreenCastle, RedFox and 3 more: Hi"
    trailers = parse_trailers(render(message))
    assert trailers["To"] == list(names)
    assert trailers["Cc"] == ["C"]


def test_three_recipients_are_all_named():
    message = sentences.mail(letter(to=("A", "B", "C"), subject="Hi"))
    assert message.subject == "mail: BlueLake -> A, B, C: Hi"


def test_a_blind_copy_is_named_nowhere():
    message = render(sentences.mail(letter(kind="bcc", to=())))
    assert message.startswith("mail: BlueLake -> undisclosed: ")
    assert "To:" not in message


SENTENCES = [
    (
        sentences.read("GreenCastle", [(ID, "a"), (ID, "b"), (ID, "c")]),
        "read: GreenCastle read 3 letters",
    ),
    (sentences.read("GreenCastle", [(ID, "Hello")]), "read: GreenCastle read: Hello"),
    (sentences.acknowledged("RedFox", [(ID, "Hi")]), "ack: RedFox acknowledged: Hi"),
    (
        sentences.acknowledged("RedFox", [(ID, "a"), (ID, "b")]),
        "ack: RedFox acknowledged 2 letters",
    ),
    (sentences.received("RedFox", [(ID, "a"), (ID, "b")]), "receive: RedFox was given 2 letters"),
    (sentences.archived("RedFox", [(ID, "a")]), "archive: put away 1 letter of RedFox"),
    (sentences.adopted("RedFox", letter(subject="Hi")), "mail: found in RedFox's inbox: Hi"),
    (sentences.registered("RedFox"), "board: RedFox registered"),
    (sentences.registered("RedFox", "codex", "o9"), "board: RedFox registered (codex, o9)"),
    (
        sentences.profile("RedFox", ["task", "contact_policy"]),
        "board: RedFox changed task and contact policy",
    ),
    (sentences.status("RedFox", "reviewing"), "board: RedFox: reviewing"),
    (
        sentences.parked("RedFox", "needs_info", "the schema"),
        "board: RedFox parked, needs info: needs the schema",
    ),
    (sentences.parked("RedFox", "done"), "board: RedFox parked, done"),
    (sentences.unparked("RedFox"), "board: RedFox is back"),
    (sentences.retired("RedFox"), "board: RedFox retired"),
    (sentences.unretired("RedFox"), "board: RedFox is back from retirement"),
    (
        sentences.memory_stored("BlueLake", 12, "Staging box is haze-02"),
        "memory: BlueLake stored #12 Staging box is haze-02",
    ),
    (
        sentences.memory_replaced("BlueLake", [3, 7], 15),
        "memory: BlueLake consolidated #3 #7 into #15",
    ),
    (
        sentences.memory_replaced("BlueLake", list(range(1, 11)), 15),
        "memory: BlueLake consolidated #1 #2 #3 #4 #5 and 5 more into #15",
    ),
    (sentences.memory_forgotten("BlueLake", [3]), "memory: BlueLake forgot #3"),
    (sentences.memory_reinstated("BlueLake", 3), "memory: BlueLake reinstated #3"),
    (sentences.reserved("BlueLake", ["src/**"], [ID]), "reserve: BlueLake holds src/**"),
    (sentences.renewed("BlueLake", ["src/**"], [ID]), "reserve: BlueLake renewed src/**"),
    (
        sentences.released("BlueLake", ["a", "b", "c", "d"], [ID]),
        "release: BlueLake released a, b and 2 more",
    ),
    (
        sentences.forced("BlueLake", "RedFox", ["src/**"], [ID]),
        "release: BlueLake took src/** from RedFox",
    ),
    (
        sentences.edited("PatPerson", ["agents/BlueLake.md"]),
        "edit: PatPerson changed agents/BlueLake.md",
    ),
    (
        sentences.undone("PatPerson", "3f9a1c2" * 5, "ack: RedFox acknowledged: Hi"),
        "undo: PatPerson undid 3f9a1c2 (ack: RedFox acknowledged: Hi)",
    ),
    (sentences.joined(["a" * 40, "b" * 40]), "doctor: joined 2 histories"),
    (sentences.mended(["gitmail.toml"]), "doctor: mended gitmail.toml"),
    (sentences.initialised("shop"), "init: a new store for shop"),
]


@pytest.mark.parametrize(("message", "subject"), SENTENCES, ids=[s for _, s in SENTENCES])
def test_each_kind_of_change_has_its_sentence(message, subject):
    assert render(message).splitlines()[0] == subject


def test_one_id_per_letter_tells_a_letters_life():
    message = sentences.acknowledged("RedFox", [("a" * 32, "x"), ("b" * 32, "y")])
    assert parse_trailers(render(message)) == {"Message-Id": ["a" * 32, "b" * 32]}


def test_numbers_of_new_memories_stand_in_trailers():
    assert parse_trailers(render(sentences.memory_stored("B", 12, "t"))) == {"Memory-Id": ["12"]}
    replaced = parse_trailers(render(sentences.memory_replaced("B", [3, 7], 15)))
    assert replaced == {"Memory-Id": ["15"], "Supersedes": ["3", "7"]}


@given(st.text(max_size=300), st.text(min_size=1, max_size=60))
@settings(max_examples=300, deadline=None)
def test_nothing_written_in_a_subject_or_thread_forges_a_line(subject, thread):
    message = render(sentences.mail(letter(subject=subject, thread=thread)))
    lines = message.split("\n")
    assert columns(lines[0]) <= 72
    assert lines[0].startswith("mail: BlueLake -> GreenCastle:")
    assert [line.partition(":")[0] for line in lines[1:]] == ["", "Message-Id", "To", "Thread", ""]
    assert message.isprintable() or not any(ord(c) < 32 and c != "\n" for c in message)
    assert parse_trailers(message)["Message-Id"] == [ID]


def test_a_sentence_ends_at_72_columns_whatever_the_names():
    for length in (1, 20, 64):
        name = "N" * length
        message = sentences.mail(letter(sender=name, to=(name,), subject="word " * 40))
        assert 66 <= columns(render(message).splitlines()[0]) <= 72


def test_a_subject_line_is_never_taken_for_a_trailer():
    assert parse_trailers("mail: x\n") == {}
    assert parse_trailers("Message-Id: forged\n") == {}
    assert parse_trailers("read: x\n\nsome prose\nTo: x\n") == {}
    assert parse_trailers("x\n\nprose\n\nA: 1\nA: 2\n") == {"A": ["1", "2"]}


def test_a_message_without_trailers_is_one_line():
    assert render(Message("board: x\ny")) == "board: x y\n"
