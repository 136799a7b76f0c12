"""TOON: fetch_inbox's shapes, and texts that try to end their field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.mail.toon import encode_toon

LETTER = {
    "id": "00123",
    "subject": 'Auth, "refactor"',
    "from": "BlueLake",
    "created_ts": "2026-11-30T20:01:02.123456+00:00",
    "ack_required": True,
    "read_at": None,
}
MIDDLE = r'"Auth, \"refactor\"",BlueLake,"2026-11-30T20:01:02.123456+00:00"'


def decoded(text: str) -> Any:
    from toon_format import decode

    return decode(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"result": []}, "result: []"),
        ({"total": 2, "next_since_ts": None}, "total: 2\nnext_since_ts: null"),
        ({"ids": ["a", "true", "7", ""]}, 'ids[4]: a,"true","7",""'),
        (
            {"result": [LETTER, LETTER | {"id": "x", "ack_required": False}]},
            "result[2]{id,subject,from,created_ts,ack_required,read_at}:\n"
            f'  "00123",{MIDDLE},true,null\n  x,{MIDDLE},false,null',
        ),
    ],
)
def test_lists_of_letters_become_tables(value: Any, text: str) -> None:
    assert encode_toon(value) == text


@pytest.mark.parametrize(
    "body",
    [
        "a\nb",
        "a\r\nb\t",
        "  spaced  ",
        "- item",
        "#1",
        "x: y",
        "[3]: a",
        "null",
        "-0",
        "\x00\x1b",
        "\u2028 \u00e9",
    ],
)
def test_a_text_neither_ends_its_field_nor_begins_another(body: str) -> None:
    value = {"result": [LETTER | {"body_md": body}, LETTER | {"thread_id": body}]}
    assert decoded(encode_toon(value)) == value


_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)
_VALUE = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXT


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.dictionaries(st.sampled_from("abcd"), _VALUE, min_size=1), max_size=4))
def test_what_is_written_reads_back_the_same(rows: list[dict[str, Any]]) -> None:
    value = {"result": rows, "has_more": False}
    assert decoded(encode_toon(value)) == value


def test_the_same_value_gives_the_same_bytes() -> None:
    value = {"result": [LETTER] * 3}
    assert encode_toon(value) == encode_toon(json.loads(json.dumps(value)))
