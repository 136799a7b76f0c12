"""Polling with fetch_inbox: each letter is seen exactly once (contract: fetch_inbox).

An agent polls with since_ts = the last next_since_ts, and raises its limit to `total` while
has_more. Letters arrive between polls, many in one microsecond, under a clock that steps back.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from server_desk import BLUE, GREEN, PAT, RED, Project, Voice, talk

from gitmail.board.caller import Caller
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.store import Store
from gitmail.values.ids import new_id

LETTERS = 500


class Clock:
    """A clock that mostly stands still, sometimes goes on, and sometimes steps back an hour."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        step = self._random.choice([0, 0, 0, 0, 1, 250_000, -3_600_000_000])
        self._now += timedelta(microseconds=step)
        return self._now


def _arrivals(store: Store, seed: int) -> Iterator[str]:
    choose = random.Random(seed)
    while True:
        sender = choose.choice([BLUE, RED])
        letter = Outgoing((GREEN,), "Poll", "Words.", importance=choose.choice(["low", "high"]))
        yield send_letter(store, Caller(sender, new_id()), letter).letter.id


async def _poll(voice: Voice, key: dict[str, Any], since: str | None, limit: int) -> list[Any]:
    """Return the new letters, oldest first, and the next since_ts, as the contract says to."""
    page = await voice("fetch_inbox", **key, limit=limit, since_ts=since)
    while page["has_more"]:
        assert page["next_since_ts"] is None
        page = await voice("fetch_inbox", **key, limit=page["total"], since_ts=since)
    ids = [one["id"] for one in page["result"]]
    return [ids[::-1], page["next_since_ts"]]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("limit", [pytest.param(1, marks=pytest.mark.storm), 7])
def test_every_letter_is_seen_exactly_once_however_they_arrive(
    project: Project, limit: int
) -> None:
    project.limits(requests_per_minute=0, unhandled_per_mailbox=0)
    bursts = random.Random(limit)
    key = {"project_key": str(project.path), "agent_name": GREEN}

    async def play(green: Voice) -> None:
        sent: list[str] = []
        seen: list[str] = []
        since: str | None = None
        with Store(project.store, PAT, Clock(limit), durable=False) as store:
            arriving = _arrivals(store, limit)
            while len(sent) < LETTERS:
                burst = min(bursts.choice([0, 1, 2, 5, 40, 90]), LETTERS - len(sent))
                sent += [next(arriving) for _ in range(burst)]
                new, since = await _poll(green, key, since, limit)
                seen += new
        assert seen == sent
        dates = (await green("fetch_inbox", **key, limit=1000))["result"]
        assert len({one["created_ts"] for one in dates}) == LETTERS

    talk(project, play, GREEN)
