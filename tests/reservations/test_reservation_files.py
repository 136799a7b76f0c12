"""Reservations as files: what is written is read back, what is broken is named with its line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import BrokenFile
from gitmail.format.reservations import (
    reservation_from_bytes,
    reservation_to_bytes,
    update_reservation,
)
from gitmail.values.paths import reservation_path
from gitmail.values.reservation import Reservation

ID = "7c1e90ab" + "0" * 24
T0 = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
HELD = Reservation(
    id=ID,
    holder="BlueLake",
    date=T0,
    expires=T0 + timedelta(hours=1),
    paths=("src/auth/**", "\\*.py"),
    names=("port:8080",),
    reason="Reworking the login: see #12",
)


def test_a_reservation_reads_as_people_expect() -> None:
    assert reservation_to_bytes(HELD).decode() == (
        "---\n"
        f"id: {ID}\n"
        "holder: BlueLake\n"
        'paths: ["src/auth/**", "\\\\*.py"]\n'
        'names: ["port:8080"]\n'
        "exclusive: true\n"
        'reason: "Reworking the login: see #12"\n'
        "date: 2026-11-30T12:00:00.123456+00:00\n"
        "expires: 2026-11-30T13:00:00.123456+00:00\n"
        "ttl_seconds: 3600\n"
        "---\n"
    )


_pattern = st.text("abé*?\\[ ]!#'\",:{}-", min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(_pattern, max_size=3, unique=True), st.booleans(), st.booleans(), st.text(max_size=9)
)
def test_what_is_written_is_read_back(
    paths: list[str], exclusive: bool, waiting: bool, reason: str
) -> None:
    shape = replace(
        HELD,
        paths=tuple(paths),
        exclusive=exclusive,
        waiting=waiting,
        reason=reason or None,
    )
    try:
        data = reservation_to_bytes(shape)
    except (BrokenFile, ValueError):
        return
    assert reservation_from_bytes(data, reservation_path(ID, "src")) == shape


def test_a_renewal_keeps_comments_unknown_keys_and_notes() -> None:
    data = reservation_to_bytes(HELD).replace(
        b"exclusive: true\n", b"exclusive: true # mine\nteam: red\n"
    )
    data += b"\nAsk me first.\n"
    later = replace(HELD, expires=T0 + timedelta(hours=2))
    updated = update_reservation(data, "reservations/7c1e90ab-src.md", later)
    assert reservation_from_bytes(updated, "x") == later
    assert updated == data.replace(b"T13:00:00.123456", b"T14:00:00.123456")


def test_a_grant_takes_the_waiting_key_out() -> None:
    data = reservation_to_bytes(replace(HELD, waiting=True))
    assert b"waiting: true" in data
    assert update_reservation(data, "x", HELD) == reservation_to_bytes(HELD)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b'["src/auth/**", "\\\\*.py"]', b"[]\nother: 1", None),
        (b'"src/auth/**"', b'"!src"', "negation"),
        (b'"port:8080"', b'"a b"', "name of a thing"),
        (b'"src/auth/**"', b'"port:80"', "wrong list"),
        (b"exclusive: true", b"exclusive: yes", "true or false"),
        (b"ttl_seconds: 3600", b"ttl_seconds: 0", "1 to"),
        (b"expires: 2026", b"expires: never 2026", "not a time"),
        (b"holder: BlueLake", b"holder: all", "reserved"),
        (ID.encode(), b"1" * 32, "file is named"),
    ],
)
def test_a_broken_reservation_is_named_with_its_file(
    old: bytes, new: bytes, problem: str | None
) -> None:
    data = reservation_to_bytes(HELD)
    assert old in data
    broken = data.replace(old, new)
    file = "reservations/7c1e90ab-src.md"
    if problem is None:
        assert reservation_from_bytes(broken, file).paths == ()
        return
    with pytest.raises(BrokenFile) as caught:
        reservation_from_bytes(broken, file)
    assert problem in caught.value.problem
    assert caught.value.file == file
