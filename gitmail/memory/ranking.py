"""The order of search results: the index's relevance, with a mild preference for newer notes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Protocol

RECENCY_SHARE = 0.1
"""How much a note of this very moment gains over an old one."""

RECENCY_HALF_LIFE = timedelta(days=90)
"""The age at which half of that gain is gone."""

CANDIDATES = 50
"""How many matches to ask the index for: more than are shown, so that recency can reorder."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Match(Protocol):
    """A note that answers a question: `relevance` positive, `created_at` in microseconds."""

    @property
    def number(self) -> int:
        """The note's number."""
        ...

    @property
    def relevance(self) -> float:
        """How well the words match; greater is better."""
        ...

    @property
    def created_at(self) -> int:
        """Microseconds since 1970, UTC."""
        ...


def rank(matches: Iterable[Match], now: datetime, top_k: int) -> list[tuple[int, float]]:
    """Return the `top_k` best as (number, score), best first; equal scores newest number first.

    The score is the relevance, raised by up to a tenth for a new note (half of that after 90
    days); shown rounded to four places.
    """
    scored = [(_score(match, now), match.number) for match in matches]
    scored.sort(key=lambda pair: (-pair[0], -pair[1]))
    return [(number, round(score, 4)) for score, number in scored[:top_k]]


def _score(match: Match, now: datetime) -> float:
    created = _EPOCH + timedelta(microseconds=match.created_at)
    age = max((now - created) / RECENCY_HALF_LIFE, 0.0)
    return match.relevance * (1 + RECENCY_SHARE * math.exp2(-age))
