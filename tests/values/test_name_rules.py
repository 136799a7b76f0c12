"""Names of agents: what is allowed, what counts as the same, where names come from."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import InvalidInput
from gitmail.values.names import (
    agent_email,
    check_agent_name,
    fold,
    fresh_name,
    name_from_person,
    name_problem,
    near_names,
)
from gitmail.values.words import ADJECTIVES, NOUNS


@pytest.mark.parametrize(
    "name", ["BlueLake", "x", "7", "a.b-c_d", "A" * 64, "deadbee", "allan", "Retired1", "console"]
)
def test_a_plain_word_is_a_name(name):
    assert check_agent_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "Blue Lake",
        "BlueLake\n",
        "-rf",
        ".hidden",
        "_x",
        "..",
        "../../x",
        "a/b",
        "C:\\x",
        "a\x00b",
        "Jos\u00e9",
        "Bl\u0443e",
        "A" * 65,
        "trailing.",
    ],
)
def test_a_name_outside_the_character_set_is_refused(name):
    with pytest.raises(InvalidInput) as caught:
        check_agent_name(name)
    assert caught.value.code == "invalid_name"
    assert caught.value.hint


@pytest.mark.parametrize("name", ["deadbeef", "12345678", "DEADBEEF", "a" * 32, "3f9a1c22e0b4"])
def test_a_name_that_reads_as_an_id_prefix_is_refused(name):
    assert "prefix of an id" in name_problem(name)


@pytest.mark.parametrize(
    "name",
    [
        "all",
        "ALL",
        "a11",
        "4ll",
        "project",
        "Pr0ject",
        "maintainer",
        "Maintainer",
        "ma1ntainer",
        "rnaintainer",
        "main-tainer",
        "MAlNTAINER",
        "daemon",
        "daem0n",
        "retired",
        "Ret1red_",
    ],
)
def test_a_name_that_is_or_reads_like_a_reserved_one_is_refused(name):
    assert "reserved" in name_problem(name)


@pytest.mark.parametrize("name", ["con", "NUL", "aux.x", "com1", "LPT9", "prn"])
def test_a_windows_device_name_is_refused(name):
    assert "Windows" in name_problem(name)


def test_the_code_names_the_argument():
    with pytest.raises(InvalidInput) as caught:
        check_agent_name("a b", "to")
    assert caught.value.code == "invalid_to"


@pytest.mark.parametrize(
    ("one", "other"),
    [("BlueLake", "bluelake"), ("\ufb01x", "FIX"), ("Jos\u00e9", "JOSE\u0301"), ("\u00df", "SS")],
)
def test_case_and_unicode_form_make_no_difference(one, other):
    assert fold(one) == fold(other)


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_folding_twice_is_folding_once(name):
    assert fold(fold(name)) == fold(name)


@pytest.mark.parametrize(
    ("person", "name"),
    [
        ("Pat Person", "PatPerson"),
        ("Jos\u00e9 \u00d1\u00fa\u00f1ez", "JoseNunez"),
        ("\u65e5\u672c", "Person"),
        ("", "Person"),
        ("all", "allPerson"),
        ("Dead Beef", "DeadBeefPerson"),
        ("con", "conPerson"),
        ("aux.x", "auxPerson"),
        ("...", "Person"),
        ("Dr. No.", "Dr.No"),
        ("x" * 200, "x" * 58),
    ],
)
def test_a_persons_name_becomes_one_by_dropping_what_does_not_fit(person, name):
    assert name_from_person(person) == name


@given(st.text(max_size=100))
@settings(max_examples=300, deadline=None)
def test_every_person_gets_a_name_that_is_allowed(person):
    assert name_problem(name_from_person(person)) is None
    assert name_problem(name_from_person(person, fallback="Store")) is None


def test_every_fresh_name_is_allowed_and_different():
    names = [first + second for first, second in itertools.product(ADJECTIVES, NOUNS)]
    assert len(names) >= 3600
    assert len({fold(name) for name in names}) == len(names)
    assert [name for name in names if name_problem(name)] == []


def test_a_fresh_name_is_made_of_the_words_chosen():
    assert fresh_name(lambda words: words[0]) == ADJECTIVES[0] + NOUNS[0]


def test_near_names_are_found_by_spelling_case_and_part():
    names = ["BlueLake", "GreenCastle", "RedFox"]
    assert near_names("bluelak", names) == ["BlueLake"]
    assert near_names("castle", names) == ["GreenCastle"]
    assert near_names("zzz", names) == []
    assert len(near_names("Blue", [f"Blue{n}" for n in range(9)])) == 3


def test_an_agents_address_receives_nothing():
    assert agent_email("BlueLake") == "bluelake@gitmail.invalid"
