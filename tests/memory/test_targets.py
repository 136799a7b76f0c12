"""Which notes a call means: every case of the contract's resolver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from gitmail.errors import GitmailError, InvalidInput, NotFound, Refused
from gitmail.memory.targets import resolve, select, select_one
from gitmail.values.memory import Memory

WHEN = datetime(2026, 11, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Shown:
    memory: Memory
    live: bool


class Notes:
    """A handful of notes, answering as the index does."""

    def __init__(self, *rows: tuple[int, str] | tuple[int, str, int]) -> None:
        self.shown = [
            Shown(
                Memory(row[0], "0" * 32, "t", row[1], "BlueLake", WHEN, superseded_by=by),
                by is None,
            )
            for row in rows
            for by in [row[2] if len(row) == 3 else None]
        ]

    def by_number(self, number: int) -> Shown | None:
        return next((each for each in self.shown if each.memory.number == number), None)

    def by_text(self, text: str) -> Sequence[Shown]:
        return [each for each in self.shown if each.memory.text == text]

    def resolve(self, *targets: int | str) -> list[int]:
        found = resolve(targets, self.by_number, self.by_text)
        return [each.memory.number for each in found]

    def refusal(self, *targets: int | str) -> GitmailError:
        with pytest.raises(GitmailError) as caught:
            self.resolve(*targets)
        return caught.value


def refused_selector(numbers: Any, texts: Any) -> GitmailError:
    with pytest.raises(InvalidInput) as caught:
        select(numbers, texts)
    return caught.value


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        (None, None),
        ([3], ["a"]),
        ([], ["a"]),
        ([True], None),
        (["3"], None),
        ([3.0], None),
        ([0], None),
        ([-1], None),
        ([None], None),
        ([3, [7]], None),
        (3, None),
        ("3", None),
        (None, "text"),
        (None, [3]),
        (None, [None]),
    ],
)
def test_anything_but_one_clean_selector_is_invalid_selector(numbers: Any, texts: Any) -> None:
    error = refused_selector(numbers, texts)
    assert error.code == "invalid_selector"
    assert error.facts["reason"] == "invalid_selector"
    assert error.facts["target_errors"] == []
    assert error.hint


@pytest.mark.parametrize(("numbers", "texts"), [([], None), (None, [])])
def test_an_empty_list_is_empty_input(numbers: Any, texts: Any) -> None:
    assert refused_selector(numbers, texts).code == "empty_input"


def test_a_repeated_target_counts_once_in_the_order_given() -> None:
    assert select([7, 3, 7], None) == (7, 3)
    assert select(None, ["b", "a", "b"]) == ("b", "a")
    assert Notes((3, "a"), (7, "b")).resolve(7, 3, 7) == [7, 3]


def test_one_correction_uses_the_same_selector_under_its_own_names() -> None:
    assert select_one(3, None) == (3,)
    assert select_one(None, "old") == ("old",)
    with pytest.raises(InvalidInput, match="entry_id and old_text"):
        select_one(None, None)
    with pytest.raises(InvalidInput, match="not a positive integer"):
        select_one(True, None)


def test_two_of_three_valid_targets_refuse_everything_with_all_errors() -> None:
    error = Notes((3, "a"), (7, "b")).refusal(3, 5, 7)
    assert isinstance(error, NotFound)
    assert error.as_dict() == {
        "error": "target_not_found",
        "message": error.message,
        "hint": error.hint,
        "reason": "target_not_found",
        "superseded_count": 0,
        "superseded_texts": [],
        "superseded_ids": [],
        "new_memory_stored": False,
        "target_errors": [{"target": 5, "error": "target_not_found"}],
    }
    assert "1 of 3" in error.message
    assert "Search again" in error.hint


def test_the_first_bad_target_gives_the_reason_and_all_are_listed() -> None:
    notes = Notes((1, "a", 4), (2, "same"), (3, "same"), (4, "c"))
    error = notes.refusal(1, "same", 9, 4)
    assert error.code == "target_superseded"
    assert error.facts["target_errors"] == [
        {"target": 1, "error": "target_superseded", "superseded_by": 4},
        {"target": "same", "error": "ambiguous_target", "candidates": [2, 3]},
        {"target": 9, "error": "target_not_found"},
    ]


def test_a_retired_note_is_never_followed_to_its_successor() -> None:
    notes = Notes((1, "a", 2), (2, "b"))
    assert notes.refusal(1).facts["target_errors"][0]["superseded_by"] == 2
    by_text = notes.refusal("a")
    assert isinstance(by_text, Refused)
    assert by_text.code == "target_superseded"


def test_retired_twins_do_not_make_a_text_ambiguous() -> None:
    back_and_forth = Notes((1, "A", 2), (2, "B", 3), (3, "A"))
    assert back_and_forth.resolve("A") == [3]


def test_a_text_whose_notes_are_all_retired_names_what_replaced_the_newest() -> None:
    error = Notes((1, "A", 2), (2, "B", 3), (3, "A", 4), (4, "C")).refusal("A")
    assert error.facts["target_errors"] == [
        {"target": "A", "error": "target_superseded", "superseded_by": 4}
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The box ",
        " The box",
        "the box",
        "The  box",
        "The box\n",
        "The\u0301 box",
        "",
        "\ud800",
    ],
)
def test_a_text_that_is_not_exactly_a_stored_one_is_not_found(text: str) -> None:
    assert Notes((1, "The box"), (2, "Thé box")).refusal(text).code == "target_not_found"


def test_a_number_no_store_can_hold_is_not_found() -> None:
    def by_number(number: int) -> Shown | None:
        raise OverflowError(number)

    with pytest.raises(NotFound):
        resolve([10**30], by_number, lambda text: [])


def test_a_text_and_a_number_of_the_same_note_are_one_target() -> None:
    assert Notes((1, "a")).resolve(1, "a") == [1]
