from __future__ import annotations

from typing import Any

import pytest

from gitmail.demo.references import differences, names_in, pick, resolve

RESULT = {
    "message_id": "3f9a1c22",
    "count": 2,
    "urgent": True,
    "messages": [{"sender": "A", "thread": None}, {"sender": "B", "thread": "t"}],
    "empty": [],
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("message_id", "3f9a1c22"),
        ("messages.1.sender", "B"),
        ("messages.*.sender", ["A", "B"]),
        ("messages.*.thread", [None, "t"]),
        ("empty.*.sender", []),
    ],
)
def test_a_path_picks_one_part_or_one_of_each(path: str, found: Any) -> None:
    assert pick(RESULT, path) == found


@pytest.mark.parametrize(
    "path", ["nothing", "messages.2", "messages.x", "messages.*.to", "count.x", "message_id.*"]
)
def test_a_path_that_leads_nowhere_is_a_lookup_error(path: str) -> None:
    with pytest.raises(LookupError, match="nothing at"):
        pick(RESULT, path)


@pytest.mark.parametrize(
    ("value", "resolved"),
    [
        ("$ask.count", 2),
        ("$ask.message_id,$ask.messages.0.sender", "3f9a1c22,A"),
        (["$ask.message_id", 7], ["3f9a1c22", 7]),
        ({"id": "$ask.message_id"}, {"id": "3f9a1c22"}),
        ("costs $5, $HOME and $ python -m tides", "costs $5, $HOME and $ python -m tides"),
        ("see $ask.message_id.", "see 3f9a1c22."),
    ],
)
def test_references_are_replaced_and_a_whole_one_keeps_its_type(value: Any, resolved: Any) -> None:
    assert resolve(value, {"ask": RESULT}) == resolved


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(LookupError, match="'other'"):
        resolve("$other.id", {"ask": RESULT})


def test_a_wrong_path_is_named_with_its_reference() -> None:
    with pytest.raises(LookupError, match=r"\$ask\.nothing"):
        resolve("$ask.nothing", {"ask": RESULT})


def test_names_are_found_at_any_depth() -> None:
    assert set(names_in({"a": ["$one.x", {"b": "and $two.y"}], "c": 3})) == {"one", "two"}


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ({"count": 3}, "count is 2 (expected 3)"),
        ({"nothing": 1}, "nothing is missing (expected 1)"),
        ({"urgent": 1}, "urgent is True (expected 1)"),
        ({"messages.*.sender": ["B", "A"]}, "messages.*.sender is ['A', 'B']"),
    ],
)
def test_a_difference_is_told_with_both_values(expect: dict[str, Any], problem: str) -> None:
    (told,) = differences(RESULT, expect)
    assert told.startswith(problem)


def test_what_is_as_expected_is_not_told() -> None:
    assert differences(RESULT, {"count": 2, "urgent": True, "empty": []}) == []
