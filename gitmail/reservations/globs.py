"""gitignore rules for reservations: does a pattern cover a path, and do two patterns ever meet?

Both questions are answered from one reading of the pattern (`glob_syntax`), for the guard and the
tools alike. pathspec is the tests' oracle, not the engine: its expressions backtrack (a name of 200
bytes against `*a*a*a*a*b` took 10 s), and a hostile reservation must not stall everybody's commits.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias, TypeVar

from gitmail.values.glob_syntax import ANY, ONE_BYTE, STAR, Step, folder_steps, parse

_Item = TypeVar("_Item")
_Place: TypeAlias = tuple[int, int]  # how far each of two patterns has been walked
_Move: TypeAlias = tuple[_Place, bytes | None]  # where it leads, what it spells
_PREFERRED = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-."


def matches(pattern: str, path: str | bytes) -> bool:
    """Whether a gitignore pattern covers a path, given from the project's top with `/` between.

    A pattern that matches a folder covers everything below it. A path that ends in `/` is a whole
    folder: it is covered when any path below it can be. Raises InvalidInput `invalid_paths`.
    """
    name = os.fsencode(path)
    if name.endswith(b"/"):
        return _meeting(parse(pattern).steps, folder_steps(name)) is not None
    return expression(pattern).match(name + b"/") is not None


def overlap(first: str, second: str) -> bool:
    """Whether some path is covered by both patterns: exact, symmetric, in bounded time.

    Raises InvalidInput `invalid_paths` naming the pattern that is not one.
    """
    return witness(first, second) is not None


@lru_cache(maxsize=4096)
def witness(first: str, second: str) -> bytes | None:
    """Return a path that both patterns cover, or None when there is none."""
    names = _meeting(parse(first).steps, parse(second).steps)
    return None if names is None else b"/".join(names)


def literal(path: str | bytes) -> str:
    """Return the pattern that covers exactly this path (and, for a folder, all below it).

    A byte that a pattern cannot hold (a control character, no UTF-8) becomes `?`: it covers a
    little more, never less.
    """
    text = os.fsencode(path).decode("utf-8", "surrogateescape").strip("/")
    escaped = "".join(_plain(character) for character in text)
    return "/" + escaped + ("/" if os.fsencode(path).endswith(b"/") else "")


@lru_cache(maxsize=4096)
def expression(pattern: str) -> re.Pattern[bytes]:
    """Return the expression that matches the beginning of `path + b"/"` if the path is covered.

    Every part after a wildcard takes its first possible place and is not tried elsewhere (atomic
    groups): for globs the first place is as good as any, so the time is polynomial at worst.
    """
    parts: list[str] = []
    for number, group in enumerate(_split(parse(pattern).steps, ANY)):
        names = "".join(_name_expression(step) for step in group)
        parts.append(f"(?>(?:[^/]+/)*?{names})" if number and names else names)
    return re.compile("".join(parts).encode("ascii"))


def _name_expression(step: Step) -> str:
    parts: list[str] = []
    for number, group in enumerate(_split((*step, 1 << ord("/")), STAR)):
        text = "".join(_byte_expression(bits) for bits in group)
        parts.append(f"(?>[^/]*?{text})" if number else text)
    return "".join(parts)


def _byte_expression(bits: int) -> str:
    if bits == ONE_BYTE:
        return "[^/]"
    members = [byte for byte in range(256) if bits >> byte & 1]
    text = "".join(f"\\x{byte:02x}" for byte in members)
    return text if len(members) == 1 else f"[{text}]"


def _split(items: Iterable[_Item], separator: _Item) -> list[list[_Item]]:
    """Cut a sequence at each separator; the groups may be empty."""
    groups: list[list[_Item]] = [[]]
    for item in items:
        if item == separator:
            groups.append([])
        else:
            groups[-1].append(item)
    return groups


def _meeting(one: tuple[Step, ...], two: tuple[Step, ...]) -> list[bytes] | None:
    """Return the names of a path that both sequences of steps cover, or None."""
    return _shortest((len(one) - 1, len(two) - 1), lambda at: _common_paths(one, two, at))


def _common_paths(one: tuple[Step, ...], two: tuple[Step, ...], at: _Place) -> Iterator[_Move]:
    """Yield the moves of both patterns from a place: past an ANY, or over a name both allow."""
    i, j = at
    if one[i] == ANY and i + 1 < len(one):
        yield (i + 1, j), None
    if two[j] == ANY and j + 1 < len(two):
        yield (i, j + 1), None
    if one[i] == two[j] == ANY:
        return
    name = _common_name(one[i] or (ONE_BYTE, STAR), two[j] or (ONE_BYTE, STAR))
    if name is not None:
        yield (i + (one[i] != ANY), j + (two[j] != ANY)), name


@lru_cache(maxsize=4096)
def _common_name(one: Step, two: Step) -> bytes | None:
    """Return a name that both steps allow, or None."""
    found = _shortest((len(one), len(two)), lambda at: _common_bytes(one, two, at))
    return None if found is None else b"".join(found)


def _common_bytes(one: Step, two: Step, at: _Place) -> Iterator[_Move]:
    """Yield the moves of both names from a place: past a STAR, or over a byte both allow."""
    i, j = at
    star_one, star_two = one[i : i + 1] == (STAR,), two[j : j + 1] == (STAR,)
    if star_one:
        yield (i + 1, j), None
    if star_two:
        yield (i, j + 1), None
    if i == len(one) or j == len(two) or (star_one and star_two):
        return
    bits = (one[i] or ONE_BYTE) & (two[j] or ONE_BYTE)
    if bits:
        yield (i + (not star_one), j + (not star_two)), _readable_byte(bits)


def _readable_byte(bits: int) -> bytes:
    """Return one byte of a set, a letter where it has one."""
    for byte in _PREFERRED:
        if bits >> byte & 1:
            return bytes((byte,))
    return bytes(((bits & -bits).bit_length() - 1,))


def _shortest(goal: _Place, moves: Callable[[_Place], Iterator[_Move]]) -> list[bytes] | None:
    """Walk from (0, 0) to the goal, each place once; return what the moves of a way spell."""
    start = (0, 0)
    came: dict[_Place, tuple[_Place, bytes | None]] = {start: (start, None)}
    waiting = deque([start])
    while waiting and goal not in came:
        place = waiting.popleft()
        for target, spelled in moves(place):
            if target not in came:
                came[target] = (place, spelled)
                waiting.append(target)
    return _spelling(came, goal) if goal in came else None


def _spelling(came: dict[_Place, tuple[_Place, bytes | None]], goal: _Place) -> list[bytes]:
    spelled: list[bytes] = []
    place = goal
    while place != (0, 0):
        place, part = came[place]
        if part is not None:
            spelled.append(part)
    return spelled[::-1]


def _plain(character: str) -> str:
    if character in "*?[]!#\\ ":
        return "\\" + character
    if character.isprintable():
        return character
    return "?" * len(character.encode("utf-8", "surrogateescape"))
