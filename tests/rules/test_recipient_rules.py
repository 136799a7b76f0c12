"""Who is meant by `to`, and whom a fan-out reaches."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gitmail.errors import GitmailError
from gitmail.values.agent import Agent
from gitmail.values.presence import Presence
from gitmail.values.recipients import (
    AgentRef,
    All,
    Candidate,
    Project,
    Recipient,
    check_chosen,
    check_contact,
    parse_recipient,
    refers_to,
    resolve,
    resolve_each,
    select_fanout,
)

NOW = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)


def agent(name: str, start: str, **fields: Any) -> Agent:
    return Agent(id=start.ljust(32, "0"), name=name, registered_at=NOW, **fields)


BLUE = agent("BlueLake", "3f9a1c22a", project="web")
GREEN = agent("GreenCastle", "3f9a1c22b", project="web")
RED = agent("RedFox", "7c1e90ab", project="api")
GONE = agent("OldOwl", "99990000", retired_at=NOW)
AGENTS = [BLUE, GREEN, RED, GONE]


@pytest.mark.parametrize(
    ("text", "recipient"),
    [
        ("all", All()),
        ("project:web", Project("web")),
        ("project:my app", Project("my app")),
        ("BlueLake", AgentRef("BlueLake")),
        ("3f9a1c22", AgentRef("3f9a1c22")),
        ("n" * 120, AgentRef("n" * 120)),
        ("Project", None),
        ("ALL", None),
        ("All ", None),
        ("PROJECT:web", None),
        ("daemon", None),
        ("Maintainer", None),
        ("\uff4d\uff41\uff49ntainer", None),
        ("retired", None),
    ],
)
def test_reserved_words_are_read_in_lower_case_only(text: str, recipient: Recipient | None) -> None:
    if recipient is not None:
        assert parse_recipient(text) == recipient
        return
    with pytest.raises(GitmailError) as raised:
        parse_recipient(text)
    assert raised.value.code == "recipient_reserved"
    assert raised.value.hint


@pytest.mark.parametrize(
    "text", ["", "  ", "n" * 121, "Blue\nLake", "a\x00b", "project:", "project: "]
)
def test_what_cannot_be_a_recipient_is_refused(text: str) -> None:
    with pytest.raises(GitmailError) as raised:
        parse_recipient(text)
    assert raised.value.code == "invalid_to"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BlueLake", BLUE),
        ("bluelake", BLUE),
        (BLUE.id, BLUE),
        ("3f9a1c22a", BLUE),
        ("3F9A1C22B", GREEN),
        ("7c1e90ab", RED),
    ],
)
def test_a_name_an_id_or_a_unique_prefix_means_one_agent(text: str, expected: Agent) -> None:
    assert resolve(AgentRef(text), AGENTS) == expected


@pytest.mark.parametrize(
    ("text", "code", "facts"),
    [
        ("BlueLaek", "recipient_not_found", {"near": ["BlueLake"]}),
        ("Pat Person", "recipient_not_found", {"near": []}),
        ("7c1e90a", "recipient_not_found", {"near": []}),
        ("7c1e90ac", "recipient_not_found", {"near": []}),
        (" BlueLake", "recipient_not_found", {"near": ["BlueLake"]}),
        (
            "3f9a1c22",
            "ambiguous_recipient",
            {
                "matches": [
                    {"name": "BlueLake", "prefix": "3f9a1c22a"},
                    {"name": "GreenCastle", "prefix": "3f9a1c22b"},
                ]
            },
        ),
        ("OldOwl", "recipient_retired", {"recipient": "OldOwl"}),
        ("99990000", "recipient_retired", {"recipient": "OldOwl"}),
    ],
)
def test_anything_else_is_an_error_that_names_the_fix(
    text: str, code: str, facts: dict[str, object]
) -> None:
    with pytest.raises(GitmailError) as raised:
        resolve(AgentRef(text), AGENTS)
    assert raised.value.code == code
    assert {key: raised.value.facts[key] for key in facts} == facts
    assert raised.value.hint


def test_retired_agents_are_not_suggested() -> None:
    with pytest.raises(GitmailError) as raised:
        resolve(AgentRef("OldOwll"), AGENTS)
    assert raised.value.facts["near"] == []


def test_a_short_prefix_is_told_how_long_it_must_be() -> None:
    with pytest.raises(GitmailError) as raised:
        resolve(AgentRef("7c1e90a"), AGENTS)
    assert "8" in raised.value.hint


def test_one_unknown_recipient_fails_the_whole_list_and_each_is_named() -> None:
    refs = [AgentRef("BlueLake"), AgentRef("RedFix"), AgentRef("nobody-here")]
    with pytest.raises(GitmailError) as raised:
        resolve_each(refs, AGENTS)
    assert raised.value.code == "recipient_not_found"
    assert raised.value.facts["unknown"] == [
        {"name": "RedFix", "near": ["RedFox"]},
        {"name": "nobody-here", "near": []},
    ]


def test_an_agent_named_twice_is_one_recipient() -> None:
    refs = [AgentRef("RedFox"), AgentRef("bluelake"), AgentRef("7c1e90ab")]
    assert resolve_each(refs, AGENTS) == (RED, BLUE)


def test_a_prefix_goes_on_meaning_the_agent_it_meant_once_it_is_ambiguous() -> None:
    assert refers_to(AgentRef("3f9a1c22"), BLUE)
    assert not refers_to(AgentRef("3f9a1c22"), RED)
    assert not refers_to(AgentRef("3f9a1c2"), BLUE)


@pytest.mark.parametrize(
    ("policy", "contacts", "blocked"),
    [
        (None, (), False),
        ("open", (), False),
        ("contacts_only", (), True),
        ("contacts_only", ("bluelake",), False),
        ("contacts_only", (BLUE.id,), False),
        ("contacts_only", ("RedFox",), True),
        ("block_all", ("BlueLake",), True),
    ],
)
def test_the_contact_policy_decides_who_gets_in(
    policy: str | None, contacts: tuple[str, ...], blocked: bool
) -> None:
    recipient = replace(GREEN, contact_policy=policy, contacts=contacts)
    if not blocked:
        check_contact(recipient, BLUE)
        return
    with pytest.raises(GitmailError) as raised:
        check_contact(recipient, BLUE)
    assert raised.value.code == "recipient_blocked"


def test_no_policy_keeps_out_a_letter_to_oneself() -> None:
    check_contact(replace(BLUE, contact_policy="block_all"), BLUE)


def _candidates() -> list[Candidate]:
    away = agent("zebra", "aaaa1111", project="web")
    idle = agent("Yak", "bbbb2222", project="web")
    closed = agent("Closed", "cccc3333", project="web", contact_policy="block_all")
    return [
        Candidate(away, Presence.DETACHED),
        Candidate(idle, Presence.IDLE),
        *(Candidate(one, Presence.ATTACHED) for one in (RED, closed, GREEN, BLUE, GONE)),
    ]


def test_all_reaches_every_attached_agent_but_the_sender_in_name_order() -> None:
    fanout = select_fanout(All(), _candidates(), agent("amber", "dddd4444"))
    assert [one.name for one in fanout.chosen] == ["BlueLake", "GreenCastle", "RedFox"]
    assert (fanout.idle, fanout.detached) == (("Yak",), ("zebra",))


def test_a_project_reaches_only_its_agents() -> None:
    fanout = select_fanout(Project("web"), _candidates(), BLUE)
    assert [one.name for one in fanout.chosen] == ["GreenCastle"]
    assert (fanout.idle, fanout.detached) == (("Yak",), ("zebra",))


def test_a_fan_out_that_reaches_nobody_lists_who_may_be_named() -> None:
    fanout = select_fanout(Project("web"), _candidates()[:2], BLUE)
    with pytest.raises(GitmailError) as raised:
        check_chosen("project:web", fanout)
    assert raised.value.code == "no_recipients"
    assert raised.value.facts == {"to": "project:web", "idle": ["Yak"], "detached": ["zebra"]}


def test_a_fan_out_that_reaches_somebody_passes() -> None:
    check_chosen("all", select_fanout(All(), _candidates(), BLUE))
