"""The layout of the tree: making paths, and telling what a path holds."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.values import paths
from gitmail.values.letter import Letter
from gitmail.values.paths import Kind, PathKind, classify

FILE = "20261130T200102Z-3f9a1c22-auth-refactor.md"
LETTER = Letter(
    id="3f9a1c22e0b44d6f9d7a51c0a1b2c3d4",
    sender="BlueLake",
    to=("GreenCastle",),
    subject="Auth refactor",
    date=datetime(2026, 11, 30, 20, 1, 2, 123456, UTC),
    text="x",
)


def test_a_letters_file_is_named_by_time_id_and_subject():
    assert paths.letter_file_name(LETTER) == FILE
    assert paths.letter_file_name(replace(LETTER, subject="\u65e5\u672c")).endswith("-letter.md")


@given(st.text(min_size=1, max_size=200))
@settings(max_examples=200, deadline=None)
def test_every_subject_gives_a_file_name_within_bounds(subject):
    name = paths.letter_file_name(replace(LETTER, subject=subject))
    assert re.fullmatch(r"[a-z0-9._TZ-]{1,120}", name)
    assert paths.is_letter_name(name)
    assert classify(paths.inbox_path("BlueLake", name)).well_named


def test_paths_of_a_mailbox():
    assert paths.inbox_path("BlueLake", FILE) == f"mail/BlueLake/inbox/{FILE}"
    assert paths.keep_path("BlueLake") == "mail/BlueLake/inbox/.keep"
    archived = paths.archive_path("BlueLake", LETTER.date, FILE)
    assert archived == f"mail/BlueLake/archive/2026/11/30/{FILE}"
    retired = paths.archive_path("BlueLake", LETTER.date, FILE, retired=True)
    assert retired == f"mail/retired/BlueLake/archive/2026/11/30/{FILE}"


@pytest.mark.parametrize(
    ("number", "path"),
    [
        (1, "memories/00xx/0001-staging-box.md"),
        (12, "memories/00xx/0012-staging-box.md"),
        (100, "memories/01xx/0100-staging-box.md"),
        (12345, "memories/123xx/12345-staging-box.md"),
    ],
)
def test_memories_lie_in_blocks_of_a_hundred(number, path):
    assert paths.memory_path(number, "Staging box") == path
    assert classify(path) == PathKind(Kind.MEMORY, path.rsplit("/", 1)[1], number=number)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            f"mail/BlueLake/inbox/{FILE}",
            PathKind(Kind.INBOX, FILE, "BlueLake", prefix="3f9a1c22"),
        ),
        (
            "mail/BlueLake/inbox/hello there.md",
            PathKind(Kind.INBOX, "hello there.md", "BlueLake", well_named=False),
        ),
        (
            f"mail/retired/BlueLake/archive/2026/11/30/{FILE}",
            PathKind(Kind.ARCHIVE, FILE, "BlueLake", "2026/11/30", prefix="3f9a1c22", retired=True),
        ),
        ("mail/BlueLake/inbox/.keep", PathKind(Kind.KEEP, ".keep", "BlueLake")),
        ("agents/BlueLake.md", PathKind(Kind.AGENT, "BlueLake.md", "BlueLake")),
        (
            "memories/superseded/00xx/0003-old.md",
            PathKind(Kind.SUPERSEDED, "0003-old.md", number=3),
        ),
        (
            "reservations/7c1e90ab-src-auth.md",
            PathKind(Kind.RESERVATION, "7c1e90ab-src-auth.md", prefix="7c1e90ab"),
        ),
        ("gitmail.toml", PathKind(Kind.FIXED, "gitmail.toml")),
    ],
)
def test_a_path_says_what_it_holds(path, expected):
    assert classify(path) == expected


@pytest.mark.parametrize(
    "path",
    [
        "",
        "mail",
        "mail/BlueLake",
        "mail/inbox",
        "mail/BlueLake/inbox",
        f"mail/BlueLake/{FILE}",
        f"mail/../inbox/{FILE}",
        f"mail/all/inbox/{FILE}",
        f"mail/retired/inbox/{FILE}",
        f"mail/BlueLake/inbox/deeper/{FILE}",
        f"mail/BlueLake/archive/{FILE}",
        f"mail/BlueLake/archive/2026/11/{FILE}",
        f"mail/BlueLake/archive/2026/11/30/deeper/{FILE}",
        "mail/BlueLake/archive/2026/11/30/.keep",
        "mail/BlueLake/inbox/.hidden.md",
        "mail/BlueLake/inbox/x.md~",
        "mail/BlueLake/inbox/x\n.md",
        "agents/deadbeef.md",
        "agents/BlueLake.txt",
        "agents/deeper/BlueLake.md",
        "memories/0012-a.md",
        "memories/01xx/0012-a.md",
        "memories/00xx/12-a.md",
        "memories/00xx/0000-a.md",
        "memories/00xx/00012-a.md",
        "reservations/x.md",
        "readme.md",
        "/gitmail.toml",
        "src/main.py",
    ],
)
def test_a_path_with_no_place_in_a_store_is_unknown(path):
    assert classify(path).kind is Kind.UNKNOWN


@given(st.text(alphabet="/.-_abxmailinbox0123456789Z\x00\n", max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_path_at_all_breaks_the_classifier(path):
    assert isinstance(classify(path), PathKind)
