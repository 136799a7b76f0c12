"""Who is in whose way, who may do what, and whose turn it is; the clock is an argument."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import GitmailError
from gitmail.reservations.refusing import refusal
from gitmail.reservations.rules import (
    conflicts,
    queue,
    renew,
    require_force,
    require_holder,
    settle,
)
from gitmail.reservations.touching import check, check_pushed
from gitmail.values.reservation import Reservation
from gitmail.values.targets import split_targets

T0 = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
_numbers = itertools.count(1)


def claim(
    holder: str,
    *targets: str,
    at: int = 0,
    minutes: int = 60,
    exclusive: bool = True,
    waiting: bool = False,
) -> Reservation:
    """A reservation made `at` minutes past noon that lasts some minutes."""
    paths, names = split_targets(targets)
    date = T0 + at * MINUTE
    return Reservation(
        id=f"{next(_numbers):032x}",
        holder=holder,
        date=date,
        expires=date + minutes * MINUTE,
        paths=paths,
        names=names,
        exclusive=exclusive,
        ttl_seconds=minutes * 60,
        waiting=waiting,
    )


def test_an_overlapping_claim_names_the_holder_and_a_path_both_cover() -> None:
    held = claim("BlueLake", "src/**")
    wanted = claim("GreenCastle", "/docs/", "*/login.py", at=1)
    [conflict] = conflicts(wanted, [held], "GreenCastle", T0 + MINUTE)
    assert conflict.reservation is held
    [meeting] = conflict.meetings
    assert (meeting.requested, meeting.held) == ("*/login.py", "src/**")
    assert meeting.example == "src/login.py"


def test_the_refusal_says_who_until_when_why_and_how_to_keep_apart() -> None:
    held = replace(claim("BlueLake", "docs/"), reason="Rewriting the guide")
    wanted = claim("GreenCastle", "src/", at=1)
    error = refusal(conflicts(wanted, [held], "GreenCastle", T0 + MINUTE))
    assert error.code == "reservation_conflict"
    assert error.message == (
        "src/ overlaps docs/, reserved by BlueLake until 2026-11-30 13:00 UTC: Rewriting the guide."
    )
    assert "/src/" in error.hint  # at any depth, they meet in src/docs/
    [holder] = error.facts["holders"]
    assert holder["holder"] == "BlueLake"
    assert holder["overlaps"][0]["example"] == "src/docs/a"


@pytest.mark.parametrize(("first", "second"), list(itertools.product([True, False], repeat=2)))
def test_only_shared_beside_shared_is_granted(first: bool, second: bool) -> None:
    held = claim("BlueLake", "src/", exclusive=first)
    wanted = claim("GreenCastle", "src/a.py", exclusive=second, at=1)
    found = conflicts(wanted, [held], "GreenCastle", T0 + MINUTE)
    assert bool(found) is (first or second)


def test_own_expired_and_other_things_hinder_nobody() -> None:
    mine = claim("bluelake", "src/")
    old = claim("GreenCastle", "src/", minutes=5)
    other = claim("GreenCastle", "port:8081", "/docs/")
    wanted = claim("BlueLake", "/src/", "port:8080", at=5)
    assert conflicts(wanted, [mine, old, other], "BlueLake", T0 + 5 * MINUTE) == []
    assert conflicts(wanted, [old], "BlueLake", T0 + 5 * MINUTE - timedelta(microseconds=1))


def test_a_thing_is_compared_without_case_and_never_with_paths() -> None:
    held = claim("BlueLake", "name:Build", "**")
    wanted = claim("GreenCastle", "name:build", at=1)
    [conflict] = conflicts(wanted, [held], "GreenCastle", T0)
    assert [meeting.requested for meeting in conflict.meetings] == ["name:build"]
    assert not conflicts(claim("GreenCastle", "port:1", at=1), [held], "GreenCastle", T0)


def test_the_queue_is_served_in_order_of_joining() -> None:
    held = claim("BlueLake", "src/**", minutes=10)
    second = claim("RedFox", "src/a.py", at=2, waiting=True)
    first = claim("GreenCastle", "src/", at=1, waiting=True)
    everyone = [held, second, first]
    assert queue(everyone, T0 + 3 * MINUTE) == [first, second]
    assert settle(everyone, T0 + 3 * MINUTE).granted == ()
    settled = settle(everyone, T0 + 10 * MINUTE)
    assert settled.expired == (held,)
    [granted] = settled.granted
    assert granted.holder == "GreenCastle"
    assert (granted.waiting, granted.date) == (False, T0 + 10 * MINUTE)
    assert granted.expires == T0 + 70 * MINUTE


def test_those_in_line_who_are_not_in_each_others_way_are_served_together() -> None:
    waiting = [
        claim("GreenCastle", "src/a.py", at=1, waiting=True),
        claim("RedFox", "src/b.py", at=2, waiting=True),
        claim("GoldPond", "/src/", at=3, waiting=True),
    ]
    granted = settle(waiting, T0 + 5 * MINUTE).granted
    assert [one.holder for one in granted] == ["GreenCastle", "RedFox"]


def test_a_newcomer_does_not_pass_the_queue() -> None:
    held = claim("BlueLake", "src/", exclusive=False)
    waits = claim("GreenCastle", "src/", at=1, waiting=True)
    newcomer = claim("RedFox", "src/a.py", at=2, exclusive=False)
    [conflict] = conflicts(newcomer, [held, waits], "RedFox", T0 + 2 * MINUTE)
    assert conflict.reservation is waits


def test_the_holder_is_not_made_to_wait_for_who_waits_for_it() -> None:
    held = claim("BlueLake", "src/")
    waits = claim("GreenCastle", "src/", "docs/", at=1, waiting=True)
    more = claim("BlueLake", "docs/", at=2)
    assert conflicts(more, [held, waits], "BlueLake", T0 + 2 * MINUTE) == []


_targets = st.lists(
    st.sampled_from(["src/", "src/a.py", "*.py", "docs/", "name:build"]), min_size=1, max_size=2
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ABCD"), _targets, st.booleans(), st.integers(1, 60)), max_size=8
    ),
    st.integers(0, 90),
)
def test_settling_never_grants_two_agents_the_same_and_never_idles_the_first_in_line(
    wishes: list[tuple[str, list[str], bool, int]], minute: int
) -> None:
    now = T0 + minute * MINUTE
    waiting = [
        claim(f"Agent{who}", *targets, at=at, minutes=90, exclusive=exclusive, waiting=True)
        for at, (who, targets, exclusive, _) in enumerate(wishes)
    ]
    settled = settle(waiting, now)
    for one, other in itertools.combinations(settled.granted, 2):
        assert not conflicts(replace(one, date=now), [other], one.holder, now)
    line = queue(waiting, now)
    if line:
        assert line[0].id in {one.id for one in settled.granted}
    changed = {one.id: one for one in settled.granted}
    gone = set(settled.expired)
    after = [changed.get(one.id, one) for one in waiting if one not in gone]
    assert settle(after, now).granted == ()


@pytest.mark.parametrize(
    ("me", "last_active", "minute", "allowed"),
    [
        ("bluelake", 0, 1, True),
        ("PatPerson", 0, 1, True),
        ("GreenCastle", 0, 29, False),
        ("GreenCastle", 0, 30, True),
        ("GreenCastle", None, 29, False),
        ("GreenCastle", None, 30, True),
        ("GreenCastle", 20, 49, False),
        ("GreenCastle", 55, 60, True),  # expired meanwhile
    ],
)
def test_force_is_for_the_holder_a_maintainer_or_after_thirty_minutes(
    me: str, last_active: int | None, minute: int, allowed: bool
) -> None:
    held = claim("BlueLake", "src/")
    last = None if last_active is None else T0 + last_active * MINUTE
    now = T0 + minute * MINUTE
    if allowed:
        require_force(held, me, ["patperson"], last, now)
        return
    with pytest.raises(GitmailError) as caught:
        require_force(held, me, ["patperson"], last, now)
    assert caught.value.code == "holder_active"
    assert caught.value.facts["possible_at"]


def test_only_the_holder_renews_and_never_shortens() -> None:
    held = claim("BlueLake", "src/")
    renewed = renew(held, "BlueLake", T0 + 30 * MINUTE)
    assert renewed.expires == T0 + 90 * MINUTE
    assert renew(held, "BlueLake", T0, 60).expires == held.expires
    for call, code in (
        (lambda: renew(held, "RedFox", T0), "reservation_not_yours"),
        (lambda: require_holder(held, "RedFox"), "reservation_not_yours"),
        (lambda: renew(held, "BlueLake", held.expires), "reservation_expired"),
        (lambda: renew(held, "BlueLake", T0, 0), "invalid_ttl_seconds"),
    ):
        with pytest.raises(GitmailError) as caught:
            call()
        assert caught.value.code == code


def test_checking_paths_finds_who_holds_them_and_shared_ones_do_not_block() -> None:
    reservations = [
        claim("BlueLake", "src/**", "*.md"),
        claim("RedFox", "/docs/", exclusive=False, at=1),
        claim("GreenCastle", "tests/"),
        claim("GoldPond", "src/", at=2, waiting=True),
    ]
    paths = [b"src/\xff.py", "docs/x.md", "tests/t.py", "other.txt", "vendor/"]
    found = check(paths, reservations, "greencastle", T0 + 5 * MINUTE)
    assert [(one.path, one.pattern, one.reservation.holder, one.blocking) for one in found] == [
        (b"src/\xff.py", "src/**", "BlueLake", True),
        (b"docs/x.md", "*.md", "BlueLake", True),
        (b"vendor/", "*.md", "BlueLake", True),  # a submodule's content may be anything
        (b"docs/x.md", "/docs/", "RedFox", False),
    ]
    assert len(check(["tests/t.py"], reservations, None, T0)) == 1
    assert check(paths, reservations, "x", T0 + 120 * MINUTE) == []


def test_what_was_committed_before_the_reservation_began_may_be_pushed() -> None:
    held = [claim("BlueLake", "src/", at=10)]
    changed = {b"src/old.py": T0 + 9 * MINUTE, b"src/new.py": T0 + 10 * MINUTE}
    found = check_pushed(changed, held, "RedFox", T0 + 11 * MINUTE)
    assert [one.path for one in found] == [b"src/new.py"]
