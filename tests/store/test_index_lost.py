"""The index may be deleted at any time: same answers before and after, also under load."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from post_office import (
    AGENTS,
    BLUE,
    GREEN,
    RED,
    Forge,
    answers,
    assert_sound,
    caller,
    index_lines,
    opened,
    post,
    rebuilt_lines,
)

from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.receive import receive
from gitmail.store.store import Store


def _correspond(store: Store) -> None:
    for number in range(4):
        post(store, AGENTS[number % 3], *AGENTS, subject=f"Letter {number}", ack_required=True)
    letters = receive(store, caller(GREEN)).messages
    acknowledge(store, caller(GREEN), [letters[0].letter.id, letters[2].letter.id])


def index_files(path: Path) -> list[Path]:
    return sorted((path / ".git/gitmail").glob("index*"))


def test_each_file_of_the_index_and_all_of_them_may_go(store: Store, path: Path) -> None:
    _correspond(store)
    before, lines = answers(store), index_lines(store)
    names = ["index.sqlite", "*.sqlite", "*-wal", "*-shm", "*"]
    for pattern in names:
        gone = [file for file in index_files(path) if file.match(pattern)]
        assert gone, pattern
        for file in gone:
            file.unlink()
        assert answers(store) == before, pattern
        with opened(path) as second:
            assert answers(second) == before, pattern
        assert index_lines(store) == lines
        for file in index_files(path):  # and a write as the first thing that notices
            file.unlink()
        post(store, BLUE, RED, subject=pattern)
        before, lines = answers(store), index_lines(store)
        assert lines == rebuilt_lines(store)
    store.close()
    assert_sound(path)


@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty", "other tables"])
def test_a_damaged_index_is_rebuilt(store: Store, path: Path, damage: str) -> None:
    import sqlite3

    _correspond(store)
    before = answers(store)
    store.close()
    database = (path / ".git/gitmail/index.sqlite").resolve()
    data = database.read_bytes()
    if damage == "truncated":
        database.write_bytes(data[: len(data) // 2])
    elif damage == "garbage":
        database.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    elif damage == "empty":
        database.write_bytes(b"")
    else:
        with sqlite3.connect(database) as connection:
            connection.execute("DROP TABLE arrivals")
        connection.close()
    with opened(path) as again:
        assert answers(again) == before
    assert_sound(path)


def test_the_index_may_go_while_processes_write_and_read(
    path: Path, forge: Forge, tmp_path: Path
) -> None:
    stop = tmp_path / "stop"
    writers = [
        forge.start("send", path, who=name, to=[GREEN], count=12, pause=0.02)
        for name in (BLUE, RED)
    ]
    reader = forge.start("read", path, who=GREEN, until=str(stop), pause=0.02)
    for number in range(12):
        time.sleep(0.1)
        for file in index_files(path):
            if number % 3 == 0 or file.match(("*-wal", "index.sqlite")[number % 2]):
                file.unlink(missing_ok=True)
    for writer in writers:
        assert writer.wait().result is not None
    stop.touch()
    assert reader.wait().result
    with opened(path) as store:
        assert answers(store)[GREEN]["count"] == 24
    assert_sound(path)
