"""A note as a file: what is written, what is read, and what a person's additions survive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import frontmatter
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import BrokenFile, InvalidInput
from gitmail.format.memories import memory_from_bytes, memory_to_bytes, reinstate, retire
from gitmail.values.memory import Memory, check_note, normal_tags, title_from_text
from gitmail.values.paths import memory_path

WHEN = datetime(2026, 11, 30, 20, 1, 2, 123456, tzinfo=UTC)
LIVE = "memories/00xx/0015-staging-box.md"
RETIRED = "memories/superseded/00xx/0015-staging-box.md"

NOTE = Memory(
    number=15,
    uid="3f9a1c22e0b44d6f9d7a51c0a1b2c3d4",
    title="Staging box",
    text="The staging box is haze-02.",
    author="BlueLake",
    created_at=WHEN,
    source="consolidation",
    tags=("staging", "deploy"),
    supersedes=(3, 7),
)

FILE = b"""---
number: 15
uid: 3f9a1c22e0b44d6f9d7a51c0a1b2c3d4
title: Staging box
author: BlueLake
source: consolidation
tags: [staging, deploy]
created_at: 2026-11-30T20:01:02.123456+00:00
supersedes: [3, 7]
---

The staging box is haze-02.
"""


def test_a_note_is_written_one_key_a_line_in_order() -> None:
    assert memory_to_bytes(NOTE) == FILE
    assert memory_from_bytes(FILE, LIVE) == NOTE


def test_any_yaml_reader_sees_numbers_as_numbers() -> None:
    retired = replace(NOTE, superseded_by=21, superseded_at=WHEN)
    post = frontmatter.loads(memory_to_bytes(retired).decode())
    assert post["number"] == 15
    assert post["supersedes"] == [3, 7]
    assert post["superseded_by"] == 21


def test_retiring_adds_two_lines_and_reinstating_takes_them_out() -> None:
    retired = retire(FILE, LIVE, 21, WHEN)
    marks = b"superseded_by: 21\nsuperseded_at: 2026-11-30T20:01:02.123456+00:00\n"
    assert retired == FILE.replace(b"---\n\nThe", marks + b"---\n\nThe")
    memory = memory_from_bytes(retired, RETIRED)
    assert memory.retired
    assert (memory.superseded_by, memory.superseded_at) == (21, WHEN)
    assert reinstate(retired, RETIRED) == FILE


def test_what_a_person_added_to_the_header_survives() -> None:
    edited = FILE.replace(b"tags:", b"# asked Mira, she is sure\nmood: calm  # mine\ntags:")
    edited = edited.replace(b"\n", b"\r\n")
    retired = retire(edited, LIVE, 21, WHEN)
    assert b"# asked Mira, she is sure\r\nmood: calm  # mine\r\n" in retired
    assert memory_from_bytes(retired, RETIRED).superseded_by == 21
    assert reinstate(retired, RETIRED) == edited


def test_a_note_cannot_be_retired_twice() -> None:
    with pytest.raises(BrokenFile, match="there already"):
        retire(retire(FILE, LIVE, 21, WHEN), RETIRED, 22, WHEN)


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        (LIVE, b"number: 15\n", b"", "'number'"),
        (LIVE, b"number: 15", b"number: 0", "positive integer"),
        (LIVE, b"number: 15", b"number: fifteen", "whole number"),
        (LIVE, b"number: 15", b"number: 16", "name 15"),
        (LIVE, b"uid: 3f9a", b"uid: zzzz", "32 lower-case hex"),
        (LIVE, b"supersedes: [3, 7]", b"supersedes: [3, x]", "positive integers"),
        (LIVE, b"tags: [staging, deploy]", b"tags: {a: b}", "list"),
        (LIVE, b"created_at: 2026-11-30T20:01:02.123456+00:00", b"created_at: soon", "time"),
        (LIVE, b"\nThe staging box is haze-02.\n", b"\n \n", "no text"),
        (LIVE, b"author: BlueLake\n", b"", "'author'"),
        (LIVE, b"title:", b"title: x\ntitle:", "title"),
        (RETIRED, b"", b"", "must have superseded_at"),
    ],
)
def test_a_broken_note_is_refused_by_file_and_problem(
    file: str, old: bytes, new: bytes, problem: str
) -> None:
    assert old in FILE
    with pytest.raises(BrokenFile, match=problem) as caught:
        memory_from_bytes(FILE.replace(old, new, 1), file)
    assert caught.value.file == file


def test_a_live_note_may_not_carry_the_marks_of_a_retired_one() -> None:
    with pytest.raises(BrokenFile, match="memories/superseded/"):
        memory_from_bytes(retire(FILE, LIVE, 21, WHEN), LIVE)


def test_a_persons_shorter_header_is_understood() -> None:
    shorter = FILE.replace(b"title: Staging box\n", b"").replace(b"source: consolidation\n", b"")
    shorter = shorter.replace(b"[staging, deploy]", b"Staging").replace(b"[3, 7]", b"3")
    memory = memory_from_bytes(shorter, LIVE)
    assert memory.title == "The staging box is haze-02."
    assert (memory.source, memory.tags, memory.supersedes) == ("note", ("staging",), (3,))


LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=64)


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
    title=LINES.filter(str.strip),
    tags=st.lists(LINES.filter(str.strip), max_size=4),
    number=st.integers(1, 10**6),
    supersedes=st.lists(st.integers(1, 10**6), unique=True, max_size=4),
)
@settings(max_examples=150, deadline=None)
def test_every_note_comes_back_as_it_was_stored(
    text: str, title: str, tags: list[str], number: int, supersedes: list[int]
) -> None:
    try:
        normal = normal_tags(tags)
        check_note(text)
    except InvalidInput:
        return
    memory = replace(
        NOTE, number=number, text=text, title=title, tags=normal, supersedes=tuple(supersedes)
    )
    path = memory_path(number, title)
    data = memory_to_bytes(memory)
    assert memory_from_bytes(data, path) == memory
    assert reinstate(retire(data, path, number + 1, WHEN), path) == data


def test_tags_are_trimmed_folded_and_unique() -> None:
    assert normal_tags([" Staging", "STAGING ", "Straße", "deploy"]) == (
        "staging",
        "strasse",
        "deploy",
    )
    assert normal_tags(normal_tags(["Straße", "İ"])) == normal_tags(["Straße", "İ"])


@pytest.mark.parametrize("tags", [[""], ["  "], ["a\nb"], ["x" * 65], [str(n) for n in range(33)]])
def test_a_tag_nobody_could_search_by_is_refused(tags: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        normal_tags(tags)
    assert caught.value.code == "invalid_tags"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Staging is haze-02. Deploy with make.", "Staging is haze-02"),
        ("# Staging box\n\nIt is haze-02.", "Staging box"),
        (
            "\n\n- Use uv sync in CI, e.g. on runners. Never pip.",
            "Use uv sync in CI, e.g. on runners",
        ),
        ("Note. The box is haze-02. Ask Mira.", "Note. The box is haze-02"),
        ("No end here", "No end here"),
        ("部署前必须先运行数据库迁移检查。脚本在那里。", "部署前必须先运行数据库迁移检查"),
        ("x" * 100, "x" * 71 + "…"),
        ("---", "---"),
    ],
)
def test_a_title_is_the_first_sentence_that_says_something(text: str, title: str) -> None:
    assert title_from_text(text) == title


def test_a_blank_note_is_empty_input_and_a_long_one_invalid() -> None:
    with pytest.raises(InvalidInput) as blank:
        check_note(" \n", "new_text")
    assert blank.value.code == "empty_input"
    with pytest.raises(InvalidInput) as long:
        check_note("x" * 65_537)
    assert long.value.code == "invalid_text"
