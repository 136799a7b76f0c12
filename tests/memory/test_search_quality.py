"""How good search is, measured: notes.toml holds the notes and the questions, this the floors.

The floors are the measured rates (2026-11: 0.9375 at 1 and 1.0 at 5 of 80 questions); a change of
ranking that costs a question fails here. Raise them when ranking gets better.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gitmail.format.memories import memory_to_bytes
from gitmail.index.apply import AppliedCommit, FileChange, apply
from gitmail.index.index import Index
from gitmail.index.memory_search import search_memories
from gitmail.memory.ranking import CANDIDATES, rank
from gitmail.values.memory import Memory, normal_tags, title_from_text
from gitmail.values.paths import memory_path

FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
TODAY = FIRST_DAY + timedelta(days=62)

FLOOR_AT_1 = 0.93
FLOOR_AT_5 = 1.0
FLOORS_AT_1_BY_KIND = {"paraphrase": 0.81, "id": 1.0, "order": 1.0, "inflection": 1.0}

SET: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("notes.toml").read_text(encoding="utf-8")
)

Ask = Callable[[str], list[int]]


def as_memory(note: dict[str, Any]) -> Memory:
    return Memory(
        number=note["id"],
        uid=f"{note['id']:032x}",
        title=title_from_text(note["text"]),
        text=note["text"],
        author="BlueLake",
        created_at=FIRST_DAY + timedelta(days=note["day"]),
        tags=normal_tags(note.get("tags", [])),
    )


def fill(index: Index, memories: list[Memory]) -> None:
    changes = [
        FileChange(memory_path(memory.number, memory.title), None, f"{memory.number:040x}", data)
        for memory in memories
        for data in [memory_to_bytes(memory)]
    ]
    with index.writing():
        apply(index, AppliedCommit("0" * 40, "BlueLake", 0, "memory: BlueLake stored"), changes)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    opened = Index.create(tmp_path_factory.mktemp("search") / "index.sqlite")
    fill(opened, [as_memory(note) for note in SET["note"]])
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def ask(index: Index) -> Ask:
    def ask(query: str) -> list[int]:
        matches = search_memories(index, query, limit=CANDIDATES)
        return [number for number, _ in rank(matches, TODAY, 8)]

    return ask


def hit_rate(ask: Ask, questions: list[dict[str, Any]], at: int) -> float:
    hits = [bool(set(ask(each["ask"])[:at]) & set(each["expect"])) for each in questions]
    return sum(hits) / len(hits)


def test_the_set_is_large_enough_to_mean_something() -> None:
    assert len(SET["note"]) >= 150
    assert len(SET["question"]) >= 60
    numbers = {note["id"] for note in SET["note"]}
    assert len(numbers) == len(SET["note"])
    assert all(set(each["expect"]) <= numbers for each in SET["question"])


def test_the_first_result_answers_the_question_as_often_as_stated(ask: Ask) -> None:
    assert hit_rate(ask, SET["question"], 1) >= FLOOR_AT_1


def test_one_of_the_first_five_results_answers_every_question(ask: Ask) -> None:
    assert hit_rate(ask, SET["question"], 5) >= FLOOR_AT_5


@pytest.mark.parametrize(("kind", "floor"), FLOORS_AT_1_BY_KIND.items())
def test_each_kind_of_question_has_its_own_floor(ask: Ask, kind: str, floor: float) -> None:
    questions = [each for each in SET["question"] if each["kind"] == kind]
    assert hit_rate(ask, questions, 1) >= floor


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("POL-358", 3),
        ("pol358", 3),
        ("POL 358", 3),
        ("getusername", 17),
        ("user name", 17),
        ("pgbounc", 107),
        ("迁", 167),
        ("数据库", 167),
        ("francais", 168),
        ('"HAZE-2301"', 152),
    ],
)
def test_names_are_found_however_they_are_written(ask: Ask, query: str, number: int) -> None:
    assert number in ask(query)[:2]


@pytest.mark.parametrize(
    "query",
    ["it's", "a:b", "foo(", '"', "", " ", "*", "-x", "^a", "NEAR(a b)", "a AND", "OR", "NOT",
     "text : staging", "{a b}", "\x00", "\x00staging\x00", "\ud800", "x\ud800y", "🎉", "'; --",
     "的", "٣", "a" * 10_000, "a b " * 5_000, "the", "%", "\\"],
)  # fmt: skip
def test_any_text_is_a_question_and_none_is_a_syntax_error(ask: Ask, query: str) -> None:
    assert len(ask(query)) <= 8


def test_the_same_question_gives_the_same_answer(ask: Ask) -> None:
    assert ask("database migrations") == ask("database migrations")
    assert ask("whatsoever zzzz") == []


def test_filters_narrow_by_tag_source_and_life(index: Index) -> None:
    found = search_memories(index, "deploy", tags=["staging", "deploy"])
    assert [match.number for match in found] == [1]
    assert search_memories(index, "deploy", sources=["correction"]) == []
    assert search_memories(index, "deploy", sources=["note", "x"]) != []


def test_a_retired_note_is_found_only_when_asked_for(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index.sqlite")
    memory = Memory(1, "0" * 32, "t", "The box is haze-02.", "A", FIRST_DAY, superseded_at=TODAY)
    change = FileChange(
        memory_path(1, "t", superseded=True), None, "1" * 40, memory_to_bytes(memory)
    )
    with index.writing():
        apply(index, AppliedCommit("0" * 40, "A", 0, "x"), [change])
    assert search_memories(index, "box") == []
    assert [m.number for m in search_memories(index, "box", include_superseded=True)] == [1]
    index.close()


def test_of_two_equal_notes_the_newer_comes_first_and_relevance_beats_age() -> None:
    class Match:
        def __init__(self, number: int, relevance: float, days: int) -> None:
            self.number = number
            self.relevance = relevance
            self.created_at = int((TODAY - timedelta(days=days)).timestamp()) * 1_000_000

    equal = rank([Match(1, 5.0, 300), Match(2, 5.0, 0)], TODAY, 8)
    assert [number for number, _ in equal] == [2, 1]
    assert equal[0][1] == pytest.approx(5.5)
    assert [n for n, _ in rank([Match(1, 6.0, 900), Match(2, 5.0, 0)], TODAY, 8)] == [1, 2]
    assert rank([Match(1, 5.0, -10), Match(2, 5.0, -10)], TODAY, 1) == [(2, 5.5)]


def test_a_common_word_does_not_hide_the_note_that_holds_the_rare_ones(tmp_path: Path) -> None:
    crowd = [
        Memory(n, f"{n:032x}", "t", f"The service restarts at night, run {n}", "A", FIRST_DAY)
        for n in range(2, 2_600)
    ]
    wanted = Memory(1, f"{1:032x}", "t", "The ledger service restarts on Monday", "A", FIRST_DAY)
    index = Index.create(tmp_path / "index.sqlite")
    fill(index, [wanted, *crowd])
    assert search_memories(index, "when does the ledger service restart")[0].number == 1
    assert search_memories(index, "restarting service at night, run 77")[0].number == 77
    newest = [match.number for match in search_memories(index, "service", limit=3)]
    assert len(newest) == 3
    index.close()
