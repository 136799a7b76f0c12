"""Clusters of live notes that say nearly the same: what memory_consolidation_candidates offers.

Three steps. Every note becomes a vector of word stems (gitmail/memory/similarity.py). Notes that
say nearly the same share several of their rarest stems, so only those are compared: the cost
follows the number of notes, not of pairs. Then the most alike join first, as long as the mean
likeness of all pairs of the cluster stays at or above what was asked for. The same notes give the
same clusters, always.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gitmail.memory.similarity import KnownStems, likeness, product, rarity, stems, vector

TEXT_COMPARED = 4_000
"""Characters of a note that are compared: what is nearly the same is so from its beginning."""

LINK_FLOOR = 0.3
"""Notes less alike than this are never joined directly, whatever cohesion is asked for."""

RAREST = 8
"""So many of a note's stems bring it together with others, the rarest."""

SHARED = 2
"""So many of them two notes must share to be compared; one where a note has few."""

MEETINGS = 16
"""So many earlier notes are met through one stem, the newest."""

COMPARED = 4
"""So many of the notes met are compared, those that share most."""

NEARLY_IDENTICAL = 0.8
"""A note this much like an earlier one need not be met by later ones: they meet the earlier one."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Notes that say nearly the same: `members` in order of number.

    `cohesion` is the mean likeness of all their pairs, 0 to 1.
    """

    cohesion: float
    members: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many notes there are."""
        return len(self.members)


def clusters(
    notes: Iterable[tuple[int, str]],
    min_cohesion: float = 0.6,
    min_cluster_size: int = 2,
    max_clusters: int = 10,
    among: Container[int] | None = None,
) -> list[Cluster]:
    """Return the clusters of `notes` (number, text of every live note), the most cohesive first.

    Equal cohesion: the larger one first, then the one with the lowest number. A note is in one
    cluster at most. With `among` only those notes are clustered, while all of `notes` still say
    how telling a word is: so a pair has the same cohesion whatever is asked beside it.
    """
    groups = _groups(_twins(notes, among), max(min_cohesion, LINK_FLOOR), min_cohesion)
    found = [
        Cluster(round(group.cohesion, 3), tuple(sorted(group.members)))
        for group in groups
        if len(group.members) >= max(min_cluster_size, 2)
    ]
    found.sort(key=lambda cluster: (-cluster.cohesion, -cluster.size, cluster.members))
    return found[:max_clusters]


@dataclass(frozen=True, slots=True)
class _Twins:
    """Notes of equal stems, as one: their numbers, their vector, and its rarest stems."""

    numbers: list[int]
    note: dict[str, float]
    rarest: list[str]


class _Group:
    """Notes taken together: their numbers, the sum of their vectors, and that sum's square."""

    __slots__ = ("members", "places", "square", "sums")

    def __init__(self, place: int, twins: _Twins) -> None:
        self.places = [place]
        self.members = list(twins.numbers)
        self.sums = {term: value * len(twins.numbers) for term, value in twins.note.items()}
        self.square = float(len(twins.numbers) ** 2)

    @property
    def cohesion(self) -> float:
        """The mean likeness of all pairs."""
        return _mean(len(self.members), self.square)

    def cohesion_with(self, other: _Group) -> float:
        """Return what the mean would be with the members of `other`."""
        square = self.square + other.square + 2 * product(self.sums, other.sums)
        return _mean(len(self.members) + len(other.members), square)

    def take(self, other: _Group) -> None:
        """Make the members of `other` members of this group."""
        self.square += other.square + 2 * product(self.sums, other.sums)
        self.members += other.members
        self.places += other.places
        for term, value in other.sums.items():
            self.sums[term] = self.sums.get(term, 0.0) + value


def _mean(size: int, square: float) -> float:
    """Return the mean likeness of all pairs of `size` vectors from the square of their sum."""
    return min((square - size) / (size * (size - 1)), 1.0) if size > 1 else 1.0


def _twins(notes: Iterable[tuple[int, str]], among: Container[int] | None) -> list[_Twins]:
    """Return the notes to compare as vectors, equal ones together, in order of number."""
    known = KnownStems()
    holders: Counter[str] = Counter()
    equal: dict[tuple[tuple[str, int], ...], list[int]] = {}
    total = 0
    for number, text in sorted(notes):
        counts = stems(text[:TEXT_COMPARED], known)
        holders.update(counts.keys())
        total += 1
        if counts and (among is None or number in among):
            equal.setdefault(tuple(sorted(counts.items())), []).append(number)
    weights = rarity(holders, total)
    return [
        _Twins(
            numbers,
            vector(dict(counts), weights),
            sorted((term for term, _ in counts), key=lambda term: (holders[term], term))[:RAREST],
        )
        for counts, numbers in equal.items()
    ]


def _links(twins: Sequence[_Twins], threshold: float) -> list[tuple[float, int, int]]:
    """Return the pairs found alike by `threshold`, the most alike first, as (-likeness, places)."""
    holding: defaultdict[str, list[int]] = defaultdict(list)
    links: list[tuple[float, int, int]] = []
    for later, twin in enumerate(twins):
        nearest = 0.0
        for earlier in _met(twin, holding):
            alike = likeness(twins[earlier].note, twin.note)
            if alike >= threshold:
                links.append((-alike, earlier, later))
                nearest = max(nearest, alike)
        if nearest < NEARLY_IDENTICAL:
            for term in twin.rarest:
                holding[term].append(later)
    links.sort()
    return links


def _met(twin: _Twins, holding: Mapping[str, list[int]]) -> list[int]:
    """Return the earlier notes worth comparing, those that share the most rare stems first."""
    meetings = [holding[term][-MEETINGS:] for term in twin.rarest if term in holding]
    shared = Counter(chain.from_iterable(meetings))
    least = SHARED if len(twin.rarest) > SHARED else 1
    enough = [(-count, place) for place, count in shared.items() if count >= least]
    return [place for _, place in sorted(enough)[:COMPARED]]


def _groups(twins: Sequence[_Twins], threshold: float, min_cohesion: float) -> list[_Group]:
    """Join the most alike first, where the whole stays cohesive enough; returns every group."""
    groups = {
        place: _Group(place, each) for place, each in enumerate(twins) if len(each.numbers) > 1
    }
    for _, earlier, later in _links(twins, threshold):
        one, other = (
            groups[place] if place in groups else _Group(place, twins[place])
            for place in (earlier, later)
        )
        if one is not other and one.cohesion_with(other) >= min_cohesion:
            if len(one.members) < len(other.members):
                one, other = other, one
            one.take(other)
            groups.update(dict.fromkeys((one.places[0], *other.places), one))
    return list({id(group): group for group in groups.values()}.values())
