"""The wake receipt: rules 0 to 6, the caps, and `clears`, line by line of the contract."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gitmail.values.agent import Agent
from gitmail.values.times import format_time
from gitmail.values.wake import (
    FALLBACK,
    Ringer,
    RingsSpent,
    WakeDecision,
    WakeLimits,
    WakeSituation,
    clears_matches,
    decide,
    decide_each,
    fallback_paths,
    from_header,
)

NOW = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
AGENT = Ringer("a" * 32, "BlueLake")
MAINTAINER = Ringer("c" * 32, "PatPerson", origin="maintainer", maintainer=True)
MAINTAINER_AS_AGENT = replace(MAINTAINER, origin="agent")
DELEGATE = Ringer("d" * 32, "RedFox", delegations=("web",))
OTHERS_DELEGATE = replace(DELEGATE, delegations=("api",))
IDLE = NOW - timedelta(hours=1)
JUST_NOW = NOW - timedelta(seconds=60)

NO_PARK = Agent(id="b" * 32, name="GreenCastle", registered_at=IDLE, project="web")
PARKED = replace(
    NO_PARK,
    park_reason="needs_info",
    park_needs="which judge family",
    park_clear_by="maintainer",
    park_expires=NOW + timedelta(hours=1),
)
BY_NAME = replace(PARKED, park_clear_by="bluelake")
BY_ID = replace(PARKED, park_clear_by="a" * 8)
BY_ANYONE = replace(PARKED, park_clear_by="anyone")
NO_CLEARER = replace(PARKED, park_clear_by=None, park_needs=None)
DONE = replace(PARKED, park_reason="done")
DONE_BY_NAME = replace(DONE, park_clear_by="BlueLake")
DONE_BY_ANYONE = replace(DONE, park_clear_by="anyone")
LAPSED = replace(DONE, park_expires=NOW)


def case(recipient: Agent = NO_PARK, sender: Ringer = AGENT, **facts: Any) -> WakeSituation:
    given: dict[str, Any] = {"last_action": IDLE, "listener": True}
    return WakeSituation(sender=sender, recipient=recipient, now=NOW, **(given | facts))


def outcome(recipient: Agent, sender: Ringer = AGENT, **facts: Any) -> tuple[str, str]:
    decision = decide(case(recipient, sender, **facts))
    return decision.decision, decision.reason


MATCHING = {"clears": "Judge  family"}
RULES: list[tuple[str, Agent, Ringer, dict[str, Any], tuple[str, str]]] = [
    ("0 no park", NO_PARK, MAINTAINER, {}, ("rung", "maintainer")),
    ("0 active", NO_PARK, MAINTAINER, {"last_action": NOW}, ("rung", "maintainer")),
    ("0 whatever the park", PARKED, MAINTAINER, {}, ("rung", "maintainer")),
    ("0 done", DONE, MAINTAINER, {}, ("rung", "maintainer")),
    ("1 acted within 60 s", NO_PARK, AGENT, {"last_action": JUST_NOW}, ("hinted", "active")),
    ("1 even urgent", NO_PARK, AGENT, {"last_action": NOW, "urgent": True}, ("hinted", "active")),
    ("1 a lapsed park is no park", LAPSED, AGENT, {"last_action": NOW}, ("hinted", "active")),
    ("1 not when parked", BY_NAME, AGENT, {"last_action": NOW}, ("rung", "clearer")),
    ("1 not when parked, withheld", PARKED, AGENT, {"last_action": NOW},
     ("withheld", "need_not_cleared")),
    ("2 plain", DONE, AGENT, {}, ("not_needed", "parked_done")),
    ("2 urgent from a peer", DONE, AGENT, {"urgent": True}, ("not_needed", "parked_done")),
    ("2 urgent from a maintainer", DONE, MAINTAINER_AS_AGENT, {"urgent": True},
     ("rung", "maintainer")),
    ("2 plain from a maintainer", DONE, MAINTAINER_AS_AGENT, {}, ("not_needed", "parked_done")),
    ("2 urgent from the delegate", DONE, DELEGATE, {"urgent": True}, ("rung", "delegate")),
    ("2 plain from the delegate", DONE, DELEGATE, {}, ("not_needed", "parked_done")),
    ("2 urgent from another project's delegate", DONE, OTHERS_DELEGATE, {"urgent": True},
     ("not_needed", "parked_done")),
    ("2 urgent from the named clearer", DONE_BY_NAME, AGENT, {"urgent": True}, ("rung", "clearer")),
    ("2 plain from the named clearer", DONE_BY_NAME, AGENT, {}, ("not_needed", "parked_done")),
    ("2 clears does not help", DONE, AGENT, MATCHING, ("not_needed", "parked_done")),
    ("2 anyone does not help", DONE_BY_ANYONE, AGENT, {"urgent": True},
     ("not_needed", "parked_done")),
    ("3 clearer by name", BY_NAME, AGENT, MATCHING | {"urgent": True}, ("rung", "clearer")),
    ("3 clearer by prefix of the id", BY_ID, AGENT, {}, ("rung", "clearer")),
    ("3 clearer maintainer", PARKED, MAINTAINER_AS_AGENT, {}, ("rung", "clearer")),
    ("3 anyone before clears", BY_ANYONE, AGENT, MATCHING | {"urgent": True}, ("rung", "anyone")),
    ("3 clears before urgent", PARKED, AGENT, MATCHING | {"urgent": True}, ("rung", "clears")),
    ("3 urgent", PARKED, AGENT, {"urgent": True}, ("rung", "urgent")),
    ("3 else", PARKED, AGENT, {"clears": "the GPU"}, ("withheld", "need_not_cleared")),
    ("3 nothing to clear", NO_CLEARER, AGENT, MATCHING, ("withheld", "need_not_cleared")),
    ("4 urgent", NO_PARK, AGENT, {"urgent": True}, ("rung", "urgent")),
    ("4 plain", NO_PARK, AGENT, {}, ("not_needed", "no_park")),
    ("4 clears alone", NO_PARK, AGENT, MATCHING, ("not_needed", "no_park")),
    ("4 a lapsed park is no park", LAPSED, AGENT, {}, ("not_needed", "no_park")),
    ("4 lapsed, urgent", LAPSED, AGENT, {"urgent": True}, ("rung", "urgent")),
    ("4 never acted", NO_PARK, AGENT, {"last_action": None}, ("not_needed", "no_park")),
    ("6 nobody listens", BY_NAME, AGENT, {"listener": False}, ("no_path", "no_listener")),
    ("6 nor for a maintainer", PARKED, MAINTAINER, {"listener": False}, ("no_path", "no_listener")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("recipient", "sender", "facts", "expected"),
    [rule[1:] for rule in RULES],
    ids=[rule[0] for rule in RULES],
)
def test_the_first_rule_that_fits_decides(
    recipient: Agent, sender: Ringer, facts: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert outcome(recipient, sender, **facts) == expected


@pytest.mark.parametrize("sender_origin", ["agent", "maintainer"])
def test_a_letter_to_oneself_never_rings(sender_origin: str) -> None:
    oneself = Ringer(PARKED.id, PARKED.name, origin=sender_origin, maintainer=True)
    assert outcome(PARKED, oneself, urgent=True) == ("not_needed", "self")


@pytest.mark.parametrize(
    ("name", "recipient", "sender", "below", "reached"),
    [
        ("urgent_sender_hour", NO_PARK, AGENT, {"urgent": 5}, {"urgent": 6}),
        ("urgent_sender_hour", NO_PARK, DELEGATE, {"urgent": 11}, {"urgent": 12}),
        ("urgent_sender_hour", DONE_BY_NAME, AGENT, {"urgent": 5}, {"urgent": 6}),
        ("recipient_hour", BY_NAME, AGENT, {"recipient": 19}, {"recipient": 20}),
        ("nightly", BY_NAME, AGENT, {"store": 199}, {"store": 200}),
        ("maintainer_recipient_hour", PARKED, MAINTAINER, {"maintainer": 29}, {"maintainer": 30}),
    ],
)
def test_past_its_cap_a_ring_is_capped_with_the_caps_name(
    name: str, recipient: Agent, sender: Ringer, below: dict[str, int], reached: dict[str, int]
) -> None:
    urgent = sender is not MAINTAINER
    assert outcome(recipient, sender, urgent=urgent, spent=RingsSpent(**below))[0] == "rung"
    spent = RingsSpent(**reached)
    assert outcome(recipient, sender, urgent=urgent, spent=spent) == ("capped", name)


def test_the_allowance_is_spent_before_it_is_asked_who_listens() -> None:
    spent = RingsSpent(recipient=20)
    assert outcome(BY_NAME, listener=False, spent=spent) == ("capped", "recipient_hour")
    assert decide(case(BY_NAME, listener=False)).ring
    assert decide(case(BY_NAME)).ring
    assert not decide(case(BY_NAME, spent=spent)).ring


def test_agents_rings_do_not_use_up_the_maintainers() -> None:
    spent = RingsSpent(urgent=99, recipient=99, store=999)
    assert outcome(PARKED, MAINTAINER, spent=spent) == ("rung", "maintainer")


def test_urgent_does_not_cap_a_letter_that_would_ring_anyway() -> None:
    spent = RingsSpent(urgent=6)
    assert outcome(BY_NAME, urgent=True, spent=spent) == ("rung", "clearer")


def test_a_limit_of_zero_is_no_limit() -> None:
    spent = RingsSpent(urgent=999, recipient=999, store=999, maintainer=999)
    limits = WakeLimits(0, 0, 0, 0, 0)
    for sender in (AGENT, DELEGATE, MAINTAINER):
        assert outcome(NO_PARK, sender, urgent=True, spent=spent, limits=limits)[0] == "rung"


def test_rings_of_one_fan_out_are_thirty_seconds_apart_and_spend_one_allowance() -> None:
    cases = [case(BY_ANYONE), case(PARKED), case(BY_ANYONE, listener=False), case(BY_ANYONE)]
    decisions = decide_each(cases)
    assert [one.decision for one in decisions] == ["rung", "withheld", "no_path", "rung"]
    assert [one.ring_at for one in decisions if one.ring_at] == [NOW, NOW + timedelta(seconds=30)]


def test_a_fan_out_is_capped_in_its_middle() -> None:
    store = [case(BY_ANYONE, spent=RingsSpent(store=198)) for _ in range(4)]
    assert [one.decision for one in decide_each(store)] == ["rung", "rung", "capped", "capped"]
    urgent = [case(NO_PARK, urgent=True, spent=RingsSpent(urgent=5)) for _ in range(2)]
    assert [one.decision for one in decide_each(urgent)] == ["rung", "capped"]


RESULTS: list[tuple[WakeSituation, dict[str, Any]]] = [
    (
        case(BY_NAME),
        {"decision": "rung", "reason": "clearer", "ring_at": format_time(NOW)},
    ),
    (
        case(DONE_BY_NAME, urgent=True),
        {
            "decision": "rung",
            "reason": "clearer",
            "ring_at": format_time(NOW),
            "reopened": True,
        },
    ),
    (
        case(BY_NAME, listener=False, fallback_paths=("gitmail_wait", "person")),
        {
            "decision": "no_path",
            "reason": "no_listener",
            "queued": True,
            "fallback": FALLBACK,
            "fallback_paths": ["gitmail_wait", "person"],
        },
    ),
    (
        case(DONE),
        {
            "decision": "not_needed",
            "reason": "parked_done",
            "reopen_by": ["maintainer", "delegate"],
        },
    ),
    (
        case(DONE_BY_NAME),
        {
            "decision": "not_needed",
            "reason": "parked_done",
            "reopen_by": ["maintainer", "delegate", "BlueLake"],
        },
    ),
    (case(), {"decision": "not_needed", "reason": "no_park"}),
    (case(last_action=NOW), {"decision": "hinted", "reason": "active"}),
    (
        case(BY_NAME, spent=RingsSpent(recipient=20)),
        {"decision": "capped", "reason": "recipient_hour"},
    ),
]


@pytest.mark.parametrize(("situation", "result"), RESULTS)
def test_the_result_holds_what_the_contract_names_and_nothing_else(
    situation: WakeSituation, result: dict[str, Any]
) -> None:
    assert decide(situation).to_result() == result


def test_withheld_says_what_is_needed_and_what_would_ring() -> None:
    result = decide(case(PARKED)).to_result()
    assert result["park_needs"] == "which judge family"
    assert result["park_clear_by"] == "maintainer"
    assert "clears" in result["retry"]
    assert "urgent" in result["retry"]


@pytest.mark.parametrize(
    "situation", [*(one for one, _ in RESULTS), case(PARKED), case(NO_CLEARER)]
)
def test_a_decision_comes_back_from_the_header_as_it_was(situation: WakeSituation) -> None:
    decision = decide(situation)
    header = decision.to_header()
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in header.items())
    again = from_header(header)
    assert again == decision
    assert again is not None
    assert again.to_result() == decision.to_result()


@pytest.mark.parametrize(
    ("header", "decision"),
    [
        ({}, None),
        ({"reason": "urgent"}, None),
        ({"decision": "rung", "ring_at": "soon"}, WakeDecision("rung", "")),
        ({"decision": "later", "reason": "x", "more": "y"}, WakeDecision("later", "x")),
    ],
)
def test_a_header_written_by_hand_breaks_no_reader(
    header: dict[str, str], decision: WakeDecision | None
) -> None:
    assert from_header(header) == decision


@pytest.mark.parametrize(
    ("person", "attached", "hooked", "paths"),
    [
        (False, True, True, ("next_tool_result", "host_hook", "gitmail_wait", "person")),
        (False, True, False, ("next_tool_result", "gitmail_wait", "person")),
        (False, False, True, ("host_hook", "gitmail_wait", "person")),
        (False, False, False, ("gitmail_wait", "person")),
        (True, True, True, ("gitmail_wait", "person")),
    ],
)
def test_the_fallback_names_the_ways_that_are_there(
    person: bool, attached: bool, hooked: bool, paths: tuple[str, ...]
) -> None:
    assert fallback_paths(replace(NO_PARK, person=person), attached, hooked) == paths


@pytest.mark.parametrize(
    ("clears", "needs", "matches"),
    [
        ("judge family", "which judge family", True),
        ("which judge family", "judge family", True),
        ("Judge  FAMILY", "which judge family", True),
        ("judge family.", "(which judge family)", True),
        ("auth-refactor review", "review of auth-refactor", False),
        ("auth-refactor", "auth refactor review", True),
        ("STRASSE", "die Straße", True),
        ("which judges", "which judge family", False),
        ("judge which", "which judge family", False),
        ("which family", "which judge family", False),
        ("udge fam", "which judge family", False),
        ("the", "review of the storage diff", False),
        ("of the", "review of the storage diff", False),
        ("the storage", "review of the storage diff", True),
        ("1234", "1234", False),
        ("#425", "the merge of #425", False),
        ("merge of #425", "the merge of #425", True),
        ("", "which judge family", False),
        ("judge", "", False),
        (None, "which judge family", False),
        ("judge family", None, False),
        (None, None, False),
        ("!!!", "!!!", False),
    ],
)
def test_clears_matches_a_run_of_whole_words_with_a_telling_one(
    clears: str | None, needs: str | None, matches: bool
) -> None:
    assert clears_matches(clears, needs) is matches
    assert clears_matches(needs, clears) is matches
