"""Storms of processes, in any size: the tests run small ones, `make storm` the long ones."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from post_office import (
    GREEN,
    RED,
    Forge,
    assert_sound,
    caller,
    files_of_main,
    files_on_disk,
    git,
    main_of,
    opened,
)

from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.inbox import sent_letters, show_letter, waiting
from gitmail.mail.receive import receive
from gitmail.store.edits import STILL_SAVING_SECONDS, adopt_edits
from gitmail.values.paths import agent_path

NOTE = agent_path(RED)


def assert_all_arrived(path: Path, before: str, senders: dict[str, int], to: str = GREEN) -> None:
    """Every send is one commit and one file, each once, on a straight line of commits."""
    total = sum(senders.values())
    assert git(path, "rev-list", "--count", f"{before}..main") == str(total)
    assert git(path, "rev-list", "--merges", f"{before}..main") == ""
    with opened(path) as store:
        box = waiting(store, to)
        assert box.waiting_count == total
        assert len({row.path for row in box.waiting}) == total
        assert len({row.letter.id for row in box.waiting}) == total
        dates = [row.letter.date for row in box.waiting]
        assert dates == sorted(set(dates)), "dates rise strictly"
        for sender, count in senders.items():
            assert len(sent_letters(store, sender, limit=1000)) == count
    assert_sound(path)


def send_storm(
    path: Path, forge: Forge, writers: int, count: int, stop: Path, readers: int = 1
) -> tuple[float, float]:
    """Let processes send at once while others read; returns (worst wait, whole time)."""
    before = main_of(path)
    reading = [forge.start("read", path, who=GREEN, until=str(stop)) for _ in range(readers)]
    begin = time.monotonic()
    working = {
        f"Writer-{number}": forge.start(
            "send", path, who=f"Writer-{number}", to=[GREEN], count=count
        )
        for number in range(writers)
    }
    waits = [worker.wait().result for worker in working.values()]
    whole = time.monotonic() - begin
    stop.touch()
    for reader in reading:
        assert reader.wait().result[0] > 0
    assert_all_arrived(path, before, dict.fromkeys(working, count))
    return max(waits), whole


def kill_at_random(path: Path, forge: Forge, kills: int, seed: int) -> int:
    """Kill busy processes at random moments, two at a time; returns how many commits they made.

    After every kill the next opener must find the old state or the new one.
    """
    chance = random.Random(seed)
    log = path.parent / "said-to-be-sent"
    before = int(git(path, "rev-list", "--count", "main"))
    for number in range(kills):
        names = (f"First-{number // 10}", f"Second-{number // 10}")  # nobody sends without measure
        workers = [forge.start("endless", path, who=name, log=str(log)) for name in names]
        time.sleep(0.03 + chance.random() * 0.2)
        for worker in workers:
            worker.kill()
        for worker in workers:
            ended = worker.wait()
            assert ended.killed, ended.answer
        begin = time.monotonic()
        with opened(path) as store:
            store.read(lambda view: view.main)
            assert store.tree.marker() == store.main()
            assert store.take_notices() == []
            assert time.monotonic() - begin < 5
            if number % 3 == 0:
                box = receive(store, caller(GREEN))
                acknowledge(
                    store, caller(GREEN), [one.letter.id for one in box.messages] or ["0" * 8]
                )
    said = log.read_text(encoding="ascii").split()
    with opened(path) as store:
        on_disk, of_main = files_on_disk(path), files_of_main(store)
        differing = {
            file for file in {*on_disk, *of_main} if on_disk.get(file) != of_main.get(file)
        }
        assert differing <= {NOTE}, "only a save that nobody has taken up yet"
        adopt_edits(store)
        time.sleep(STILL_SAVING_SECONDS)
        adopt_edits(store)  # what the last kill cut in half is set aside
        assert len({show_letter(store, letter_id).letter.id for letter_id in said}) == len(said)
    assert_sound(path)
    return int(git(path, "rev-list", "--count", "main")) - before


def lost_saves(path: Path, forge: Forge, style: str, saves: int, changes: int) -> list[str]:
    """Save a note again and again while its agent's profile changes; return the lines lost."""
    note = path / NOTE
    agent = forge.start("profile", path, who=RED, task="Task", count=changes)
    with opened(path) as store:
        for number in range(saves):
            save(note, f"Line {number}.\n".encode(), style)
            if number % 3 == 0:
                adopt_edits(store)
        assert agent.wait().result
        for _ in range(3):
            adopt_edits(store)
        text = store.read(lambda view: view.required(NOTE)).decode()
    assert_sound(path)
    return [f"Line {number}." for number in range(saves) if f"Line {number}.\n" not in text]


def save(note: Path, line: bytes, style: str) -> None:
    """Append a line to the file as an editor would: read it, then write it whole."""
    while True:
        try:
            text = note.read_bytes() + line
            if style == "in place":
                with note.open("r+b") as file:
                    file.write(text)
                    file.truncate()
            elif style == "rename over":
                fresh = note.with_name(f".{note.name}.new")
                fresh.write_bytes(text)
                os.replace(fresh, note)
            else:  # vim with backupcopy=no
                backup = note.with_name(f"{note.name}~")
                os.rename(note, backup)
                note.write_bytes(text)
                backup.unlink()
            return
        except FileNotFoundError:
            continue
