"""Attached, idle, detached; and clocks that slept or stepped back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gitmail.values.presence import (
    Presence,
    acted_just_now,
    on_board,
    presence_of,
    reachable_first,
)

NOW = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
TICK = timedelta(microseconds=1)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("alive", "age", "presence"),
    [
        (True, timedelta(0), "attached"),
        (True, 3 * HOUR - TICK, "attached"),
        (True, 3 * HOUR, "idle"),
        (True, None, "idle"),
        (False, timedelta(0), "detached"),
        (False, 9 * HOUR, "detached"),
        (False, None, "detached"),
    ],
)
def test_a_dead_process_is_detached_at_once_and_a_silent_one_idle_after_three_hours(
    alive: bool, age: timedelta | None, presence: str
) -> None:
    last = None if age is None else NOW - age
    assert presence_of(alive, last, NOW) == Presence(presence)


def test_a_laptop_that_slept_makes_nobody_active() -> None:
    before_sleep = NOW - timedelta(hours=8)
    assert presence_of(True, before_sleep, NOW) is Presence.IDLE
    assert not acted_just_now(before_sleep, NOW)
    assert not on_board(True, before_sleep, NOW)


def test_a_clock_set_back_neither_vouches_for_an_agent_nor_leaves_it_out() -> None:
    ahead = NOW + timedelta(days=1)
    assert not acted_just_now(ahead, NOW)
    assert presence_of(True, ahead, NOW) is Presence.ATTACHED


@pytest.mark.parametrize(
    ("age", "active"),
    [
        (timedelta(seconds=60), True),
        (timedelta(seconds=60) + TICK, False),
        (-timedelta(seconds=60), True),
        (-timedelta(seconds=60) - TICK, False),
        (None, False),
    ],
)
def test_an_action_counts_as_just_now_for_a_minute(age: timedelta | None, active: bool) -> None:
    assert acted_just_now(None if age is None else NOW - age, NOW) is active


@pytest.mark.parametrize(
    ("alive", "age", "listed"),
    [
        (False, HOUR - TICK, True),
        (False, HOUR, False),
        (True, HOUR, True),
        (True, 3 * HOUR - TICK, True),
        (True, 3 * HOUR, False),
        (True, None, False),
    ],
)
def test_the_board_lists_the_active_of_the_last_hour_or_three_while_attached(
    alive: bool, age: timedelta | None, listed: bool
) -> None:
    assert on_board(alive, None if age is None else NOW - age, NOW) is listed


def test_the_reachable_come_first() -> None:
    order = [
        (Presence.DETACHED, False),
        (Presence.IDLE, False),
        (Presence.ATTACHED, False),
        (Presence.IDLE, True),
    ]
    assert sorted(order, key=lambda one: reachable_first(*one)) == order[::-1]
