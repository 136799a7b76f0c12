"""Two letters that would have one file name: neither may take the other's place."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from post_office import BLUE, GREEN, assert_sound, caller, opened

from gitmail.mail import send as sending
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.inbox import inbox_page
from gitmail.mail.send import Outgoing, send_letter

ALIKE = tuple(f"3f9a1c22{number:024x}" for number in range(3))


def test_letters_of_one_second_subject_and_id_prefix_all_arrive(path: Path, monkeypatch):
    ids = iter(ALIKE)
    monkeypatch.setattr(sending, "new_id", lambda: next(ids))
    with opened(path, clock=lambda: datetime(2026, 11, 30, 20, 1, 2, tzinfo=UTC)) as store:
        first = send_letter(store, caller(BLUE), Outgoing((GREEN,), "Hello", "one"))
        send_letter(store, caller(BLUE), Outgoing((GREEN,), "Hello", "two"))
        acknowledge(store, caller(GREEN), [first.letter.id])
        send_letter(store, caller(BLUE), Outgoing((GREEN,), "Hello", "three"))
        page = inbox_page(store, GREEN, bodies=True)
    assert sorted(page.texts.values()) == ["one", "three", "two"]
    assert len({row.letter.id for row in page.rows}) == 3
    assert_sound(path)
