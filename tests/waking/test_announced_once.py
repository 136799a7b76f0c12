"""Over many deliveries with restarts in between: no letter missed, none announced twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from waking_world import World

from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.announced import Announced
from gitmail.values.hints import WaitingLetter

LISTENER = Path(__file__).with_name("listener.py")


class Listening:
    """A listener process that is ended and started again, as a host does with its servers."""

    def __init__(self, world: World, notes: Path) -> None:
        self._command = [sys.executable, str(LISTENER), str(world.project), str(notes)]
        self.restarts = 0
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def restart(self) -> None:
        """End the process while it waits, so that no note is cut off by us, and start another."""
        self.end()
        self.restarts += 1
        self._start()

    def end(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()


@contextmanager
def listening(world: World, notes: Path) -> Iterator[Listening]:
    listener = Listening(world, notes)
    try:
        yield listener
    finally:
        listener.end()


def told(notes: Path) -> list[str]:
    return notes.read_text(encoding="utf-8").split() if notes.exists() else []


def until_told(notes: Path, number: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while len(told(notes)) < number and time.monotonic() < deadline:
        time.sleep(0.05)


def deliver(world: World, notes: Path, total: int, restarts: int) -> list[str]:
    """Deliver and sometimes acknowledge; returns the ids in order of arrival."""
    chance = random.Random(7)
    moments = set(chance.sample(range(total), restarts))
    sent: list[str] = []
    with listening(world, notes) as listener:
        for number in range(total):
            sent.append(world.letter("Green", "Blue", f"Letter {number}").letter.id)
            if number in moments:
                until_told(notes, len(sent))
                time.sleep(0.05)
                listener.restart()
            if number % 50 == 49:
                until_told(notes, len(sent))
                acknowledge(world.store, world.caller("Blue"), sent[-50:])
        until_told(notes, len(sent))
        time.sleep(0.5)
    return sent


def test_two_hundred_deliveries_and_five_restarts(world: World, tmp_path: Path) -> None:
    _unbounded(world)
    world.caller("Blue")
    sent = deliver(world, tmp_path / "notes", 200, 5)
    assert told(tmp_path / "notes") == sent


@pytest.mark.storm
@pytest.mark.timeout(900)
def test_two_thousand_deliveries_and_thirty_restarts(world: World, tmp_path: Path) -> None:
    _unbounded(world)
    world.caller("Blue")
    sent = deliver(world, tmp_path / "notes", 2000, 30)
    assert told(tmp_path / "notes") == sent


def _unbounded(world: World) -> None:
    file = world.store.path / "gitmail.toml"
    limits = "[limits]\nrequests_per_minute = 0\nunhandled_per_mailbox = 0\n"
    file.write_text(file.read_text().replace("[limits]\n", limits))


def test_two_callers_at_once_never_both_get_a_letter(tmp_path: Path) -> None:
    letters = [WaitingLetter(f"{number:032x}", "Green", "S") for number in range(50)]
    got: list[str] = []

    def take() -> None:
        memory = Announced(str(tmp_path), "Blue", "one")
        for number in range(1, 51):
            got.extend(letter.id for letter in memory.take(letters[:number]))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [letter.id for letter in letters]


def test_a_memory_that_cannot_be_written_announces_nothing_for_ever(tmp_path: Path) -> None:
    (tmp_path / "announced").write_text("in the way")
    memory = Announced(str(tmp_path), "Blue", "one")
    assert memory.take([WaitingLetter("a" * 32, "Green", "S")]) == ()
