"""How alike two notes are, judged by their words alone: no model, no network, no chance.

A note is the set of its word stems, each with a weight that grows with how often it occurs in the
note and shrinks with how many notes hold it; two notes are as alike as the cosine of the two
(0 to 1). No threshold separates a duplicate from a related note, so likeness is only ever shown.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import mul

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


class KnownStems(dict[str, str]):
    """The stem of every word met so far: what makes thousands of notes cheap."""

    def __missing__(self, word: str) -> str:
        """Work out the stem of a new word and remember it."""
        short = self[word] = stem(word)
        return short


def stems(text: str, known: KnownStems | None = None) -> Counter[str]:
    """Count the stems of `text`, very common words left out unless there are no others."""
    found = words(text)
    telling = [word for word in found if word not in STOP_WORDS] or found
    return Counter(map((KnownStems() if known is None else known).__getitem__, telling))


def vector(counts: Mapping[str, int], weights: Mapping[str, float] | None) -> dict[str, float]:
    """Return `counts` as a vector of length 1; without `weights` every stem is equally telling."""
    raw = {
        term: (1.0 if weights is None else weights[term])
        * (1.0 if count == 1 else 1.0 + math.log(count))
        for term, count in counts.items()
    }
    length = math.hypot(*raw.values()) or 1.0
    return {term: value / length for term, value in raw.items()}


def likeness(one: Vector, other: Vector) -> float:
    """Return how alike two vectors are: 1 for the same weights, 0 where no stem is shared."""
    return min(product(one, other), 1.0)


def product(one: Vector, other: Vector) -> float:
    """Return the inner product; summed exactly, so that no order of the stems shows in it."""
    shared = one.keys() & other.keys()
    return math.fsum(map(mul, map(one.__getitem__, shared), map(other.__getitem__, shared)))


def rarity(holders: Mapping[str, int], notes: int) -> dict[str, float]:
    """Return how telling each stem is, from how many of `notes` notes hold it: rarer is more."""
    return {term: math.sqrt(math.log1p(notes / count)) for term, count in holders.items()}


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
    own = vector(stems(text), None)
    found = [Alike(number, likeness(own, vector(stems(other), None))) for number, other in notes]
    near = [Alike(each.number, round(each.likeness, 3)) for each in found if each.likeness >= floor]
    return sorted(near, key=lambda each: (-each.likeness, each.number))[:limit]
