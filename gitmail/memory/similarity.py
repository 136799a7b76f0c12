"""How alike two notes are, judged by their words alone: no model, no network, no chance.

A note is the set of its word stems, each with a weight that grows with how often it occurs in the
note and shrinks with how many notes hold it; two notes are as alike as the cosine of the two
(0 to 1). No threshold separates a duplicate from a related note, so likeness is only ever shown.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gitmail.values.search_terms import STOP_WORDS, words

Vector = Mapping[str, float]
"""A note's stems with their weights, of length 1."""

SIMILAR_FLOOR = 0.5
"""From which likeness memory_store shows a live note beside the new one."""

SIMILAR_LIMIT = 5

_SHORTEST_STEM = 4
_SUFFIXES = (
    ("ations", "at"),
    ("ation", "at"),
    ("ings", ""),
    ("ing", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ers", "er"),
    ("ed", ""),
    ("es", ""),
    ("s", ""),
    ("ly", ""),
)
_PLAIN = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True, slots=True)
class Alike:
    """A note that looks like another: its number and the likeness, 0 to 1."""

    number: int
    likeness: float


def stem(word: str) -> str:
    """Return `word` without the endings of plural and tense, so that `retries` meets `retried`."""
    if not _PLAIN.fullmatch(word):
        return word
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) + len(instead) >= _SHORTEST_STEM:
            word = word[: len(word) - len(suffix)] + instead
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST_STEM and word[-1] == "e" else word


def stems(text: str, known: dict[str, str] | None = None) -> Counter[str]:
    """Count the stems of `text`, very common words left out; `known` remembers stems across calls.

    A text of nothing but common words keeps them all.
    """
    remembered = {} if known is None else known
    found = words(text)
    telling = [word for word in found if word not in STOP_WORDS] or found
    counts: Counter[str] = Counter()
    for word in telling:
        short = remembered.get(word)
        if short is None:
            short = remembered[word] = stem(word)
        counts[short] += 1
    return counts


def vector(counts: Mapping[str, int], weight: Callable[[str], float]) -> dict[str, float]:
    """Return `counts` as a vector of length 1; `weight` says how telling a stem is."""
    raw = {term: (1 + math.log(count)) * weight(term) for term, count in counts.items()}
    length = math.sqrt(math.fsum(value * value for value in raw.values())) or 1.0
    return {term: value / length for term, value in raw.items()}


def likeness(one: Vector, other: Vector) -> float:
    """Return how alike two vectors are: 1 for the same weights, 0 where no stem is shared."""
    if len(other) < len(one):
        one, other = other, one
    return min(sum(value * other.get(term, 0.0) for term, value in one.items()), 1.0)


def rarity(holders: Mapping[str, int], notes: int) -> Callable[[str], float]:
    """Return how telling a stem is that `holders[stem]` of `notes` notes hold: more when rarer."""
    by_count: dict[int, float] = {}

    def weight(term: str) -> float:
        count = holders.get(term, 1)
        known = by_count.get(count)
        if known is None:
            known = by_count[count] = math.sqrt(math.log1p(notes / count))
        return known

    return weight


def similar(
    text: str,
    notes: Iterable[tuple[int, str]],
    floor: float = SIMILAR_FLOOR,
    limit: int = SIMILAR_LIMIT,
) -> list[Alike]:
    """Return which of `notes` (number, text) look like `text`, the most alike first.

    `notes` are the few that a search for `text` brought up; every stem weighs the same, so the
    answer depends on the two texts only. Equal likeness: lowest number first.
    """
    own = vector(stems(text), _even)
    found = [Alike(number, likeness(own, vector(stems(other), _even))) for number, other in notes]
    near = [Alike(each.number, round(each.likeness, 3)) for each in found if each.likeness >= floor]
    return sorted(near, key=lambda each: (-each.likeness, each.number))[:limit]


def _even(_term: str) -> float:
    return 1.0
