"""Any text is a query; what is found is what holds the words, in letters and in notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_world import History, a_letter, a_memory, at, hex_id, letter_file, memory_file

from gitmail.index.index import Index
from gitmail.index.memories import (
    live_memories,
    memories_numbered,
    memories_with_text,
    memory,
    recent_memories,
)
from gitmail.index.memory_filter import MemoryFilter
from gitmail.index.memory_search import search_memories
from gitmail.index.search import SearchFilter, search_letters
from gitmail.index.words import query_words, snippet

TEXTS = {
    1: "The auth refactor (POL-358) is ready; see src/auth.py.",
    2: "It's about ADR-016: a workspace has one store, foo(bar) says.",
    3: "Die Straße nach Zürich ist gesperrt. 会议记录在这里。",
    4: "POL 3580 and 358 are other numbers; 100 % done!",
    5: 'She said "hello" and a:b=c, then %%% and \N{PARTY POPPER}.',
}


@pytest.fixture
def filled(index: Index) -> Index:
    history = History()
    for number, text in TEXTS.items():
        letter = a_letter(
            number,
            text=text,
            subject=f"Subject {number}",
            sender="BlueLake" if number % 2 else "RedHill",
            topic="Builds" if number == 2 else None,
            thread="FEAT-1" if number < 3 else None,
        )
        history.commit([letter_file(letter, "GreenCastle")])
    history.apply_to(index)
    return index


def found(index: Index, query: str, **filters: object) -> list[int]:
    by_id = {hex_id(number): number for number in TEXTS}
    hits = search_letters(index, query, SearchFilter(**filters))  # type: ignore[arg-type]
    return [by_id[hit.letter.letter.id] for hit in hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("POL-358", [1]),
        ("pol-358 REFACTOR", [1]),
        ("358", [4, 1]),
        ("ADR-016 workspace", [2]),
        ("it's", [2]),
        ("foo(", [2]),
        ("foo(bar)", [2]),
        ("a:b", [5]),
        ("src/auth.py", [1]),
        ('"hello"', [5]),
        ("zurich", [3]),
        ("会议", [3]),
        ("记录", [3]),
        ("议会", []),
        ("%%%", [5]),
        ("\N{PARTY POPPER}", [5]),
        ('"', [5]),
        ("", []),
        ("   ", []),
        ("\x00", []),
        ("NOT NEAR(", []),
        ("refactor nosuchword", [1]),
        ("subject 4", [4]),
        ("subject", [5, 4, 3, 2, 1]),
        ("numbering", [4]),
    ],
)
def test_a_query_finds_the_letters_that_hold_it(
    filled: Index, query: str, expected: list[int]
) -> None:
    assert found(filled, query) == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"agent": "bluelake"}, [5, 3, 1]),
        ({"agent": "GreenCastle"}, [5, 4, 3, 2, 1]),
        ({"agent": "Nobody"}, []),
        ({"sender": "RedHill"}, [4, 2]),
        ({"topic": "builds"}, [2]),
        ({"thread": "FEAT-1"}, [2, 1]),
        ({"thread": hex_id(4)}, [4]),
        ({"since": at(3)}, [5, 4]),
        ({"since": at(1), "sender": "BlueLake"}, [5, 3]),
    ],
)
def test_a_filter_keeps_to_its_letters(
    filled: Index, filters: dict[str, object], expected: list[int]
) -> None:
    assert found(filled, "subject", **filters) == expected


def test_a_query_is_never_an_error(filled: Index) -> None:
    @given(st.text(max_size=60))
    def ask(query: str) -> None:
        query = query.encode("utf-8", "replace").decode()
        search_letters(filled, query)
        search_memories(filled, query)

    ask()


def test_the_snippet_shows_the_place_and_says_what_is_left_out() -> None:
    text = "word " * 200 + "the POL-358\nlies here " + "tail " * 200
    shown = snippet(text, query_words("POL-358"))
    assert "POL-358 lies here" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 170
    assert snippet("short\n\ntext", ["missing"]) == "short text"


def test_limits_hold_and_the_newest_come_first(index: Index) -> None:
    history = History()
    for number in range(30):
        history.commit([letter_file(a_letter(number), "GreenCastle")])
    history.apply_to(index)
    hits = search_letters(index, "look", limit=5)
    assert [hit.letter.letter.id for hit in hits] == [
        hex_id(number) for number in range(29, 24, -1)
    ]


@pytest.fixture
def notes(index: Index) -> Index:
    history = History()
    for note in [
        a_memory(1, "The staging box is haze-02.", tags=("staging", "hosts")),
        a_memory(2, "Deploys go through POL-358 and tokenStore.", source="correction"),
        a_memory(3, "Staging needs the VPN. Staging is slow.", tags=("staging",)),
        a_memory(5, "会议记录在这里"),
    ]:
        history.commit([memory_file(note)])
    old = a_memory(4, "The staging box is haze-01.", superseded_by=1, superseded_at=at(9))
    history.commit([memory_file(old, superseded=True)])
    history.apply_to(index)
    return index


@pytest.mark.parametrize(
    ("query", "options", "expected"),
    [
        ("staging", {}, {1, 3}),
        ("staging", {"include_superseded": True}, {1, 3, 4}),
        ("staging", {"tags": ["hosts"]}, {1}),
        ("staging", {"tags": ["hosts", "none"]}, set()),
        ("staging deploys", {"sources": ["correction", "x"]}, {2}),
        ("POL358", {}, {2}),
        ("pol-358", {}, {2}),
        ("token", {}, {2}),
        ("记录", {}, {5}),
        ("boxes", {}, {1}),
        ("haze-02.", {}, {1}),
        (".", {}, {1, 2, 3}),
        ("", {}, set()),
    ],
)
def test_notes_are_found_by_any_of_their_words(
    notes: Index, query: str, options: dict[str, list[str]], expected: set[int]
) -> None:
    matches = search_memories(notes, query, **options)  # type: ignore[arg-type]
    assert {match.number for match in matches} == expected
    assert all(match.relevance > 0 for match in matches)
    assert [m.relevance for m in matches] == sorted((m.relevance for m in matches), reverse=True)


def test_notes_by_number_text_and_age(notes: Index) -> None:
    row = memory(notes, 4)
    assert row is not None
    assert (row.live, row.memory.superseded_by) == (False, 1)
    assert memory(notes, 77) is None
    same = memories_with_text(notes, "The staging box is haze-01.")
    assert [row.memory.number for row in same] == [4]
    assert memories_with_text(notes, "The staging box is haze-01") == []
    assert [row.memory.number for row in recent_memories(notes, 2)] == [5, 3]
    everything = recent_memories(notes, wanted=MemoryFilter(include_superseded=True))
    assert [row.memory.number for row in everything] == [5, 4, 3, 2, 1]
    assert [row.memory.number for row in live_memories(notes)] == [1, 2, 3, 5]


def test_two_notes_of_one_number_are_both_there_and_the_live_one_counts(index: Index) -> None:
    history = History()
    ours, theirs = a_memory(7, "ours", title="Ours"), a_memory(7, "theirs", title="Theirs")
    history.commit([memory_file(theirs), memory_file(ours)])
    history.apply_to(index)
    assert [row.memory.text for row in memories_numbered(index, 7)] == ["ours", "theirs"]
