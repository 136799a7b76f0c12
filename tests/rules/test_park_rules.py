"""The board's update and the park, line by line of the contract."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gitmail.errors import InvalidInput
from gitmail.values.agent import Agent
from gitmail.values.park import (
    PARK_DEFAULT,
    PARK_LONGEST,
    PARK_REASONS,
    BoardUpdate,
    Park,
    apply_update,
    park_of,
    status_overdue,
)

NOW = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=10)
LAPSED = NOW + timedelta(hours=13)
AGENT = Agent(id="a" * 32, name="BlueLake", registered_at=NOW, status="working", status_at=NOW)


def update(agent: Agent, now: datetime = NOW, **fields: Any) -> Agent:
    return apply_update(agent, BoardUpdate(**fields), now)


def parked(**fields: Any) -> Agent:
    given = {
        "park_reason": "waiting_peer",
        "park_needs": "a review",
        "park_clear_by": "GreenCastle",
    }
    return update(AGENT, **(given | fields))


@pytest.mark.parametrize("reason", PARK_REASONS)
def test_each_reason_parks_for_twelve_hours_by_default(reason: str) -> None:
    assert park_of(update(AGENT, park_reason=reason), NOW) == Park(reason, NOW + PARK_DEFAULT)


def test_a_park_keeps_all_that_is_said_of_it() -> None:
    agent = parked(park_resume="merge it", park_expires=(NOW + timedelta(days=1)).isoformat())
    assert park_of(agent, NOW) == Park(
        "waiting_peer", NOW + timedelta(days=1), "a review", "GreenCastle", "merge it"
    )


def test_a_lapsed_park_is_no_park() -> None:
    agent = parked()
    assert park_of(agent, NOW + PARK_DEFAULT - timedelta(microseconds=1)) is not None
    assert park_of(agent, NOW + PARK_DEFAULT) is None


def test_a_plain_status_update_ends_the_park() -> None:
    agent = update(parked(), LATER, status="reviewing")
    assert (agent.status, agent.status_at) == ("reviewing", LATER)
    assert agent == replace(AGENT, status="reviewing", status_at=LATER)


def test_a_status_together_with_a_park_field_parks() -> None:
    agent = update(AGENT, status="parked: waiting", park_reason="blocked")
    assert agent.status == "parked: waiting"
    assert park_of(agent, NOW) is not None


@pytest.mark.parametrize("fields", [{"task": "t2"}, {"project": "web"}, {"label": "Reviewer"}])
def test_another_field_leaves_the_park_alone(fields: dict[str, str]) -> None:
    agent = parked()
    assert park_of(update(agent, LATER, **fields), LATER) == park_of(agent, LATER)


@pytest.mark.parametrize(
    ("fields", "changed"),
    [
        ({"park_needs": "a review of the diff"}, {"needs": "a review of the diff"}),
        ({"park_reason": "blocked"}, {"reason": "blocked"}),
        ({"park_clear_by": "anyone"}, {"clear_by": "anyone"}),
        ({"park_resume": "rerun"}, {"resume": "rerun"}),
        ({"park_needs": ""}, {"needs": None}),
        (
            {"park_reason": "blocked", "park_needs": "a key"},
            {"reason": "blocked", "needs": "a key"},
        ),
    ],
)
def test_a_field_alone_refines_a_live_park_and_keeps_its_expiry(
    fields: dict[str, str], changed: dict[str, Any]
) -> None:
    before = parked()
    live = park_of(before, LATER)
    assert live is not None
    assert park_of(update(before, LATER, **fields), LATER) == replace(live, **changed)


def test_an_expiry_alone_moves_only_the_expiry() -> None:
    before = park_of(parked(), LATER)
    assert before is not None
    agent = update(parked(), LATER, park_expires=(LATER + PARK_LONGEST).timestamp())
    assert park_of(agent, LATER) == replace(before, expires=LATER + PARK_LONGEST)


@pytest.mark.parametrize("fields", [{"park_needs": "a review"}, {"park_expires": "2026-12-02"}])
def test_a_lapsed_park_cannot_be_refined(fields: dict[str, str]) -> None:
    with pytest.raises(InvalidInput) as raised:
        update(parked(), LAPSED, **fields)
    assert (raised.value.code, raised.value.facts["argument"]) == ("invalid_park", "park_reason")


def test_park_fields_without_a_park_need_a_reason() -> None:
    with pytest.raises(InvalidInput, match="no live park"):
        update(AGENT, park_needs="GPU free")


def test_a_park_over_a_lapsed_one_begins_from_nothing() -> None:
    agent = update(parked(park_resume="merge it"), LAPSED, park_reason="blocked")
    assert park_of(agent, LAPSED) == Park("blocked", LAPSED + PARK_DEFAULT)


def test_an_empty_reason_ends_the_park_without_a_status() -> None:
    assert update(parked(), LATER, park_reason="") == AGENT


INVALID_PARKS = [
    ("park_reason", "sleeping"),
    ("park_reason", "Done"),
    ("park_needs", "x" * 121),
    ("park_needs", "two\nlines"),
    ("park_needs", "   "),
    ("park_clear_by", "x" * 121),
    ("park_clear_by", "Pat Person"),
    ("park_clear_by", "all"),
    ("park_clear_by", "daemon"),
    ("park_resume", "x" * 241),
    ("park_expires", "soon"),
    ("park_expires", -1),
    ("park_expires", True),
    ("park_expires", float("nan")),
    ("park_expires", 1e300),
    ("park_expires", NOW.isoformat()),
    ("park_expires", (NOW + PARK_LONGEST + timedelta(seconds=1)).isoformat()),
]


@pytest.mark.parametrize(("argument", "value"), INVALID_PARKS)
def test_an_invalid_park_field_applies_nothing_and_names_what_is_accepted(
    argument: str, value: Any
) -> None:
    with pytest.raises(InvalidInput) as raised:
        update(AGENT, **dict[str, Any](park_reason="blocked", status="x") | {argument: value})
    assert raised.value.code == "invalid_park"
    assert raised.value.facts["argument"] == argument
    assert raised.value.facts["accepted"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("maintainer", "maintainer"),
        ("Anyone", "anyone"),
        ("GreenCastle", "GreenCastle"),
        ("3F9A1C22", "3f9a1c22"),
        ("b" * 32, "b" * 32),
    ],
)
def test_an_agent_a_maintainer_or_anyone_may_be_the_clearer(given: str, kept: str) -> None:
    assert update(AGENT, park_reason="blocked", park_clear_by=given).park_clear_by == kept


def test_limits_are_reached_exactly() -> None:
    agent = parked(park_needs="x" * 120, park_resume="y" * 240)
    agent = update(agent, park_expires=(NOW + PARK_LONGEST).isoformat())
    assert park_of(agent, NOW) is not None
    assert update(AGENT, status="s" * 240).status == "s" * 240


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"status": "s" * 241}, "invalid_status"),
        ({"status": "a\nb"}, "invalid_status"),
        ({"project": "p" * 121}, "invalid_project"),
        ({"task": "  "}, "invalid_task"),
        ({"status": "x", "expect": 0}, "invalid_expect"),
        ({"status": "x", "expect": True}, "invalid_expect"),
        ({"status": "x", "expect": 7 * 86400 + 1}, "invalid_expect"),
        ({"status": "", "expect": 60}, "invalid_expect"),
        ({"name": "Maintainer"}, "invalid_name"),
        ({"label": "the daemon"}, "invalid_label"),
        ({"name": "One", "label": "Two"}, "invalid_name"),
    ],
)
def test_an_invalid_profile_field_applies_nothing(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        update(AGENT, **fields)
    assert raised.value.code == code


def test_a_name_is_for_display_and_the_address_stays() -> None:
    agent = update(AGENT, name="Reviewer of the week")
    assert (agent.name, agent.label) == ("BlueLake", "Reviewer of the week")


def test_a_status_is_overdue_when_its_expected_time_has_passed() -> None:
    agent = update(AGENT, status="running the suite", expect=60)
    assert not status_overdue(agent, NOW + timedelta(seconds=59))
    assert status_overdue(agent, NOW + timedelta(seconds=60))
    assert not status_overdue(update(agent, status="done with it"), NOW + timedelta(days=1))


def test_expect_alone_restates_the_status_and_keeps_the_park() -> None:
    agent = update(parked(), LATER, expect=60)
    assert (agent.status, agent.status_at, agent.expect) == ("working", LATER, 60)
    assert park_of(agent, LATER) is not None


def test_an_update_that_gives_nothing_changes_nothing() -> None:
    assert update(parked(), LATER) == parked()
