"""The line of writers: first come first served, and the dead hold nobody up."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gitmail.store.line import LineTimeout, in_line

_HOLDER = """
import sys, time
from pathlib import Path
from gitmail.store.line import in_line
with in_line(Path(sys.argv[1]), time.monotonic() + 5):
    print("in", flush=True)
    sys.stdin.read()
"""


def _soon() -> float:
    return time.monotonic() + 20


def _holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "in\n"
    return process


def _tickets(folder: Path) -> int:
    return sum(not name.startswith(".") for name in os.listdir(folder))


def test_whoever_came_first_is_served_first(tmp_path: Path) -> None:
    served: list[int] = []

    def stand(number: int) -> None:
        with in_line(tmp_path, _soon()):
            served.append(number)

    writers = [threading.Thread(target=stand, args=(number,)) for number in range(12)]
    with in_line(tmp_path, _soon()):
        for number, writer in enumerate(writers):
            writer.start()
            while _tickets(tmp_path) < number + 2:
                time.sleep(0.001)
    for writer in writers:
        writer.join()
    assert served == list(range(12))
    assert _tickets(tmp_path) == 0


def test_a_killed_writer_lets_the_next_one_in_and_leaves_nothing(tmp_path: Path) -> None:
    holder = _holder(tmp_path)
    holder.kill()
    with in_line(tmp_path, _soon()):
        pass
    holder.communicate()
    assert _tickets(tmp_path) == 0


def test_a_deadline_ends_the_wait_and_those_behind_move_up(tmp_path: Path) -> None:
    holder = _holder(tmp_path)
    with pytest.raises(LineTimeout), in_line(tmp_path, time.monotonic() + 0.1):
        raise AssertionError("the holder is still in")
    with pytest.raises(LineTimeout), in_line(tmp_path, time.monotonic()):
        raise AssertionError("no time to wait at all")
    holder.communicate("")
    with in_line(tmp_path, _soon()):
        assert _tickets(tmp_path) == 1
