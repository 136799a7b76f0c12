"""Two processes that reserve overlapping globs at once: never are both granted."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, assert_sound, caller, make_store, opened

from gitmail.reservations.globs import overlap
from gitmail.reservations.listing import list_reservations
from gitmail.reservations.release import release

ROUNDS = 50
PATTERNS = ("src/**", "src/a.py", "*.py", "lib/*.py", "*/x.py", "src/", "/src/[ab].py", "docs/**")

RIVAL = """
import json, sys
from pathlib import Path
from post_office import caller, opened
from gitmail.errors import Refused
from gitmail.reservations.reserve import Request, reserve
with opened(Path(sys.argv[1]), durable=False) as store:
    for line in sys.stdin:
        try:
            reserve(store, caller(sys.argv[2]), Request((json.loads(line),)))
            print("granted", flush=True)
        except Refused as error:
            print(error.code, flush=True)
"""


class Rival:
    """A process that reserves one pattern a line."""

    def __init__(self, path: Path, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", RIVAL, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": ":".join(sys.path)},
        )

    def start(self, pattern: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(pattern) + "\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture
def rivals(tmp_path: Path) -> Iterator[tuple[Path, Rival, Rival]]:
    path = make_store(tmp_path / "store")
    pair = Rival(path, BLUE), Rival(path, GREEN)
    yield path, *pair
    for rival in pair:
        rival.end()


def test_two_processes_never_both_get_what_overlaps(rivals: tuple[Path, Rival, Rival]) -> None:
    path, blue, green = rivals
    chance = random.Random(7)
    both = 0
    with opened(path, durable=False) as store:
        for _ in range(ROUNDS):
            first, second = chance.choice(PATTERNS), chance.choice(PATTERNS)
            blue.start(first)
            green.start(second)
            answers = {blue.answer(), green.answer()}
            held = [one.reservation for one in list_reservations(store)[0]]
            if overlap(first, second):
                assert answers == {"granted", "reservation_conflict"}
                assert len(held) == 1
            else:
                both += 1
                assert answers == {"granted"}
                assert len(held) == 2
            release(store, caller(BLUE))
            release(store, caller(GREEN))
    assert 0 < both < ROUNDS
    assert_sound(path)
