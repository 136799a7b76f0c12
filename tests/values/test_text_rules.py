"""Texts, subjects, slugs, and the short forms that are safe to show."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import InvalidInput
from gitmail.values.text import (
    check_line,
    check_subject,
    check_text,
    columns,
    line_problem,
    shorten,
    slug,
    subject_from_text,
    visible,
    visible_text,
)


@pytest.mark.parametrize(
    "text", ["x", "  x", "x\n\n", "a\r\nb", '{"a": 1}', "[1,2]", "007", "---\nfrom: evil\n---\n"]
)
def test_a_text_is_returned_as_it_is(text):
    assert check_text(text, "text", 8192) is text


@pytest.mark.parametrize("text", ["", "  ", "\n\t\n", "a\x00b", "\ud800"])
def test_a_blank_binary_or_broken_text_is_refused(text):
    with pytest.raises(InvalidInput) as caught:
        check_text(text, "body_md", 8192)
    assert caught.value.code == "invalid_body_md"


def test_length_counts_bytes_not_characters():
    assert check_text("\u00e9" * 4096, "text", 8192)
    with pytest.raises(InvalidInput) as caught:
        check_text("\u00e9" * 4097, "text", 8192)
    assert caught.value.facts["bytes"] == 8194
    assert caught.value.facts["limit"] == 8192
    assert "8194" in caught.value.message


@pytest.mark.parametrize(
    "text", ["123", "\u05e9\u05dc\u05d5\u05dd \u00f8 \u65e5\u672c \U0001f389", "x" * 200]
)
def test_a_subject_is_one_line_and_never_cut(text):
    assert check_subject(text) is text


@pytest.mark.parametrize(
    "text", ["", " ", "a\nb", "a\rb", "a\x1b[31mb", "a\u2028b", "a\x85b", "x" * 201, "\udc80"]
)
def test_a_subject_of_many_lines_or_over_200_characters_is_refused(text):
    with pytest.raises(InvalidInput) as caught:
        check_subject(text)
    assert caught.value.code == "invalid_subject"


def test_a_line_has_the_limit_of_its_caller():
    assert check_line("x" * 120, "topic", 120)
    with pytest.raises(InvalidInput) as caught:
        check_line("x" * 121, "topic", 120)
    assert caught.value.code == "invalid_topic"


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Hello\nmore", "Hello"),
        ("\n\n  Hello   there  \nmore", "Hello there"),
        ("a\tb\x1b[0m", "a b [0m"),
        ("\x01", "(no subject)"),
        ("w " * 80, "w " * 35 + "w\u2026"),
    ],
)
def test_a_default_subject_is_the_first_line_that_says_something(text, subject):
    assert subject_from_text(text) == subject


@given(st.text(min_size=1, max_size=300))
@settings(max_examples=300, deadline=None)
def test_every_text_gives_a_subject_that_is_allowed(text):
    assert line_problem(subject_from_text(text), 200) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Auth refactor", "auth-refactor"),
        ("Auth refactor needs your review!", "auth-refactor-needs-your-review"),
        ("\u00c9t\u00e9 \u00f8 \u65e5\u672c", "ete"),
        ("\u65e5\u672c", "letter"),
        ("..", "letter"),
        ("../../etc/passwd", "etc-passwd"),
        ("v1.2.3 -- rc_1", "v1.2.3-rc_1"),
        ("word " * 40, "word-" * 11 + "word"),
        ("x" * 300, "x" * 60),
    ],
)
def test_a_slug_is_made_of_safe_characters(text, expected):
    assert slug(text) == expected


@given(st.text(max_size=300), st.integers(min_value=8, max_value=91))
@settings(max_examples=300, deadline=None)
def test_a_slug_fits_and_never_begins_or_ends_oddly(text, limit):
    made = slug(text, limit)
    assert re.fullmatch(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?", made)
    assert len(made) <= limit
    assert ".." not in made


def test_columns_count_what_a_terminal_shows():
    assert columns("abc") == 3
    assert columns("\u65e5\u672c") == 4
    assert columns("e\u0301") == 1
    assert shorten("\u65e5\u672c\u8a9e", 5) == "\u65e5\u672c\u2026"
    assert shorten("abc", 3) == "abc"


@given(st.text(max_size=120), st.integers(min_value=1, max_value=80))
@settings(max_examples=200, deadline=None)
def test_a_shortened_text_takes_no_more_columns(text, limit):
    assert columns(shorten(text, limit)) <= limit


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb", "a\\nb"),
        ("\u202eevil", "\\u202eevil"),
        ("\x9b31m", "\\x9b31m"),
        ("\U0001f389 fine", "\U0001f389 fine"),
    ],
)
def test_escape_sequences_and_bidi_marks_are_shown_as_escapes(text, shown):
    assert visible(text) == shown


def test_line_feeds_and_tabs_of_a_text_stay():
    assert visible_text("a\tb\nc\rd\x07") == "a\tb\nc\\rd\\x07"
