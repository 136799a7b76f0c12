"""Rates and queues: what is counted, where the limit lies, what the refusal says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gitmail.errors import Refused
from gitmail.values.limits import (
    MailboxLoad,
    SendLimits,
    check_fanout,
    check_mailboxes,
    check_rate,
)

NOW = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
NONE = SendLimits(0, 0, 0, 0)


def sent(*seconds_ago: float) -> list[datetime]:
    return [NOW - timedelta(seconds=seconds) for seconds in seconds_ago]


def test_the_sixtieth_send_within_a_minute_passes_and_the_next_waits() -> None:
    check_rate("BlueLake", sent(*range(59)), NOW)
    with pytest.raises(Refused) as raised:
        check_rate("BlueLake", sent(*range(60)), NOW)
    assert raised.value.code == "rate_limited"
    assert raised.value.facts == {"retry_after": 1, "limit": 60, "window_seconds": 60}


@pytest.mark.parametrize(
    ("ages", "seconds"),
    [
        ((50, 40, 10), 20),
        ((50, 49.5, 10), 11),
        ((90, 60, 10), None),
        ((61, 60, 59), None),
        ((0.5, 0.2, 0.1), 60),
        ((10, 40, 50), 20),
    ],
)
def test_the_seconds_to_wait_are_until_the_window_has_room(
    ages: tuple[float, ...], seconds: int | None
) -> None:
    limits = SendLimits(requests_per_minute=2)
    if seconds is None:
        check_rate("BlueLake", sent(*ages), NOW, limits)
        return
    with pytest.raises(Refused) as raised:
        check_rate("BlueLake", sent(*ages), NOW, limits)
    assert raised.value.facts["retry_after"] == seconds


def test_zero_is_no_rate_limit() -> None:
    check_rate("BlueLake", sent(*[0.0] * 10_000), NOW, NONE)


@pytest.mark.parametrize(
    ("pending", "unhandled", "expires", "queue"),
    [
        (255, 999, True, None),
        (256, 256, True, "pending"),
        (256, 999, False, None),
        (0, 1000, True, "unhandled"),
        (0, 1000, False, "unhandled"),
        (256, 1000, True, "pending"),
    ],
)
def test_a_mailbox_is_full_at_either_limit(
    pending: int, unhandled: int, expires: bool, queue: str | None
) -> None:
    load = MailboxLoad("GreenCastle", pending, unhandled)
    if queue is None:
        check_mailboxes([load], expires)
        return
    with pytest.raises(Refused) as raised:
        check_mailboxes([load], expires)
    facts = raised.value.facts
    assert raised.value.code == "queue_full"
    assert (facts["recipient"], facts["queue"]) == ("GreenCastle", queue)
    assert "GreenCastle" in raised.value.message
    assert "gitmail archive --older-than" in raised.value.hint


def test_one_full_mailbox_refuses_all_and_every_full_one_is_named() -> None:
    loads = [MailboxLoad("A", 0, 0), MailboxLoad("B", 256, 300), MailboxLoad("C", 0, 1000)]
    with pytest.raises(Refused) as raised:
        check_mailboxes(loads, expires=True)
    assert [one["recipient"] for one in raised.value.facts["full"]] == ["B", "C"]


def test_zero_is_no_queue_limit() -> None:
    check_mailboxes([MailboxLoad("A", 10**6, 10**6)], True, NONE)


def test_a_fan_out_reaches_at_most_fifty_and_says_how_many_it_would_be() -> None:
    check_fanout(50)
    check_fanout(10_000, NONE)
    with pytest.raises(Refused) as raised:
        check_fanout(51)
    assert (raised.value.code, raised.value.facts["count"]) == ("fanout_too_large", 51)
