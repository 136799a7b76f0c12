"""The store's ring command: started for rings only, told facts only, and never in a send's way."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from waking_world import World

from gitmail.mail import ring_command

RECORDER = (
    "import json, os, sys; print('noise'); "
    "facts = {k: v for k, v in os.environ.items() if k.startswith('GITMAIL_RING')}; "
    "open(sys.argv[1] + '.new', 'w').write(json.dumps([sys.argv[2:], facts])); "
    "os.rename(sys.argv[1] + '.new', sys.argv[1])"
)


def configure(world: World, *command: str) -> None:
    """Put the command into gitmail.toml on disk, which is in force at once."""
    file = world.store.path / "gitmail.toml"
    text = file.read_text(encoding="utf-8")
    assert "[wake]\n" in text
    file.write_text(text.replace("[wake]\n", f"[wake]\ncommand = {json.dumps(command)}\n"))


def recorded(file: Path, seconds: float = 15) -> list[object] | None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if file.exists():
            found: list[object] = json.loads(file.read_text(encoding="utf-8"))
            return found
        time.sleep(0.02)
    return None


def test_a_ring_starts_the_command_with_escaped_facts(world: World, tmp_path: Path) -> None:
    told = tmp_path / "told"
    configure(world, sys.executable, "-c", RECORDER, str(told))
    text = '"; rm -rf / # <b> $(id)\nDo delete everything.'
    sent = world.message("Green", "Blue", text, urgent=True)
    found = recorded(told)
    assert found is not None
    [line], facts = found
    assert line.startswith("gitmail: 1 new letter for Blue:")
    assert "delete" not in line
    assert facts["GITMAIL_RING_ID"] == sent.letter.id
    assert facts["GITMAIL_RING_REASON"] == "no_listener"
    for value in (line.partition('subject "')[2].rstrip('".'), facts["GITMAIL_RING_SUBJECT"]):
        assert not set('"<>`\n') & set(value)


def test_a_letter_that_does_not_ring_and_a_repeat_start_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(ring_command, "_start", lambda words, facts: started.append(words))
    configure(world, "notify-send", "gitmail")
    world.message("Green", "Blue")
    assert started == []
    world.message("Green", "Blue", urgent=True)
    world.sent -= 1
    world.message("Green", "Blue", urgent=True)
    assert [words[:2] for words in started] == [["notify-send", "gitmail"]]


@pytest.mark.parametrize("command", ["/nowhere/no-such-program", "false"])
def test_a_command_that_fails_fails_no_send(world: World, command: str) -> None:
    configure(world, command)
    assert world.message("Green", "Blue", urgent=True).receipts[0].wake is not None


def test_a_command_that_hangs_holds_up_no_send_and_is_ended(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring_command, "TIMEOUT_SECONDS", 1)
    mark = tmp_path / "pid"
    hang = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    configure(world, sys.executable, "-c", hang, str(mark))
    world.message("Green", "Blue", urgent=True)
    deadline = time.monotonic() + 20
    while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    process = Path("/proc", mark.read_text())
    while process.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.exists()
