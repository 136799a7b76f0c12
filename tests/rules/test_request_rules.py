"""The digest by which the identical send is known again, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import Refused
from gitmail.values.requests import check_repeat, letter_digest, request_digest, send_digest

SEND: dict[str, Any] = {"to": "a" * 32, "text": "The build is green."}
LETTER: dict[str, Any] = {"to": ["a" * 32], "subject": "Build", "text": "Green."}

DIFFERENT_SENDS: list[dict[str, Any]] = [
    {"to": "b" * 32},
    {"text": "The build is green"},
    {"text": "The build is green. "},
    {"fanout": True},
    {"reply_to": "c" * 32},
    {"clears": "build"},
    {"clears": ""},
    {"subject": "build"},
    {"thread": "build"},
    {"urgent": True},
]
DIFFERENT_LETTERS: list[dict[str, Any]] = [
    {"to": ["b" * 32]},
    {"to": ["a" * 32, "b" * 32]},
    {"cc": ["b" * 32]},
    {"bcc": ["b" * 32]},
    {"subject": "build"},
    {"text": "green."},
    {"importance": "urgent"},
    {"ack_required": True},
    {"thread": "T"},
    {"topic": "T"},
    {"reply_to": "T"},
]


def test_a_digest_is_64_hex_digits_and_always_the_same() -> None:
    digest = send_digest(**SEND)
    assert len(digest) == 64
    assert set(digest) <= set("0123456789abcdef")
    assert send_digest(**SEND, urgent=False, clears=None, subject=None) == digest


def test_every_difference_makes_another_digest() -> None:
    sends = [send_digest(**SEND | change) for change in [{}, *DIFFERENT_SENDS]]
    letters = [letter_digest(**LETTER | change) for change in [{}, *DIFFERENT_LETTERS]]
    assert len({*sends, *letters}) == len(sends) + len(letters)


def test_the_order_of_recipients_and_naming_one_twice_make_no_difference() -> None:
    one = letter_digest(["a", "b"], "s", "t", cc=["d", "c"])
    assert letter_digest(["b", "a", "b"], "s", "t", cc=["c", "d"]) == one


_VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())
_ASKED = st.dictionaries(st.text(max_size=8), _VALUES, max_size=4)


def _typed(value: Any) -> Any:
    return (type(value).__name__, value)


@settings(max_examples=300, deadline=None)
@given(first=_ASKED, second=_ASKED, kinds=st.tuples(st.text(max_size=4), st.text(max_size=4)))
def test_two_requests_share_a_digest_only_if_they_are_the_same(
    first: dict[str, Any], second: dict[str, Any], kinds: tuple[str, str]
) -> None:
    same = kinds[0] == kinds[1] and all(
        {k: _typed(v) for k, v in one.items() if v is not None}
        == {k: _typed(v) for k, v in other.items() if v is not None}
        for one, other in [(first, second)]
    )
    assert (request_digest(kinds[0], first) == request_digest(kinds[1], second)) is same


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"a": "b", "c": "d"}, {"a": 'b","c":"d'}),
        ({"a": "1"}, {"a": 1}),
        ({"a": True}, {"a": 1}),
        ({"a": ["b", "c"]}, {"a": ["b,c"]}),
        ({"a": ""}, {"a": None}),
        ({"a": "\u00e9"}, {"a": "e\u0301"}),
    ],
)
def test_neighbouring_requests_do_not_run_together(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert request_digest("k", first) != request_digest("k", second)


def test_a_used_request_id_with_another_request_is_a_conflict() -> None:
    check_repeat("r-1", "x", "x")
    with pytest.raises(Refused) as raised:
        check_repeat("r-1", "x", "y")
    assert (raised.value.code, raised.value.facts) == ("request_conflict", {"request_id": "r-1"})
