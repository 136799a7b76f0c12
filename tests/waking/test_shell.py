"""`gitmail wait`, `gitmail brief` and `gitmail setup` as a person or a script runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from waking_world import World

from gitmail.board.presence import Presence
from gitmail.mail.brief import LIMIT

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


def when_listening(world: World, act: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        presence = Presence(world.store.private)
        deadline = time.monotonic() + 20
        while not presence.seen("Blue").listening and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2)
        act()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_wait_says_one_line_and_ends_with_0_when_mail_came(world: World, gitmail: Shell) -> None:
    world.caller("Blue")
    thread = when_listening(world, lambda: world.letter("Green", "Blue", "News"))
    done = gitmail("wait", "--as", "Blue", "--timeout", "30")
    thread.join()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("gitmail: 1 new letter for Blue:")
    assert done.stdout.count("\n") == 1


def test_wait_ends_with_3_and_no_word_when_nothing_came(world: World, gitmail: Shell) -> None:
    world.letter("Green", "Blue")
    done = gitmail("wait", "--as", "Blue", "--timeout", "0.2")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    done = gitmail("wait", "--as", "Blue", "--timeout", "0.2", "--for", "ring", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout) == {
        "woke": False,
        "waiting": 1,
        "from": [],
        "reason": "timeout",
    }


def test_a_ring_without_a_listener_is_given_to_the_next_wait(world: World, gitmail: Shell) -> None:
    world.message("Green", "Blue", "Come", urgent=True)
    done = gitmail("wait", "--as", "Blue", "--for", "ring", "--timeout", "5")
    assert done.returncode == 0
    assert "(urgent) from Green" in done.stdout


def test_an_interrupted_wait_listens_no_more(world: World) -> None:
    world.caller("Blue")
    process = subprocess.Popen(
        [sys.executable, "-m", "gitmail", "wait", "--as", "Blue"],
        cwd=world.project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    thread = when_listening(world, lambda: process.send_signal(2))
    thread.join()
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert not Presence(world.store.private).seen("Blue").listening


@pytest.mark.parametrize("options", [("--timeout", "-1"), ("--for", "pigeon")])
def test_wait_refuses_what_it_cannot_do(
    world: World, gitmail: Shell, options: tuple[str, str]
) -> None:
    assert gitmail("wait", *options).returncode == 2


def test_a_brief_names_me_what_waits_and_who_is_parked_on_me(world: World, gitmail: Shell) -> None:
    world.letter("Green", "Blue", "Hello")
    from gitmail.board.profile import update_profile
    from gitmail.values.park import BoardUpdate

    park = BoardUpdate(park_reason="waiting_peer", park_needs="the fix", park_clear_by="Blue")
    update_profile(world.store, world.caller("Green"), park)
    done = gitmail("brief", "--as", "Blue")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("gitmail: this session's mailbox is Blue; 1 letter waits in it")
    assert lines[1] == 'Parked on you: Green, waiting_peer, needs "the fix".'
    assert gitmail("brief", "--as", "Green").stdout.splitlines()[1].startswith("You are parked:")


def test_a_brief_is_never_longer_than_its_limit(world: World, gitmail: Shell) -> None:
    from gitmail.mail.brief import Brief, Parked
    from gitmail.values.agent import Agent
    from gitmail.values.park import Park

    agent = Agent(id="a" * 32, name="G" * 64, registered_at=world.store.clock())
    park = Park("waiting_peer", world.store.clock(), needs="x" * 120)
    lines = Brief("Blue", (), None, (Parked(agent, park),) * 100).lines()
    assert len("\n".join(lines)) <= LIMIT
    assert lines[-1].startswith("… and ")


# -- setup -------------------------------------------------------------------------------------


@pytest.fixture
def on_path(tmp_path: Path) -> dict[str, str]:
    """A `gitmail` on the PATH, and a home of its own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "gitmail"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m gitmail "$@"\n')
    program.chmod(0o755)
    (tmp_path / "home").mkdir()
    return {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path / "home")}


def snapshot(folder: Path) -> dict[str, bytes]:
    paths = [folder / ".git" / "config", *(p for p in folder.rglob("*") if ".git" not in p.parts)]
    return {str(path): path.read_bytes() for path in paths if path.is_file()}


@pytest.mark.parametrize("host", ["claude", "codex", "gemini", "cursor", "vscode"])
def test_setup_names_the_checkout_is_idempotent_and_undoes_exactly(
    world: World, gitmail: Shell, on_path: dict[str, str], host: str
) -> None:
    before = snapshot(world.project)
    shown = gitmail("setup", host, "--dry-run", **on_path)
    assert shown.returncode == 0, shown.stderr
    assert "+++ " in shown.stdout
    assert snapshot(world.project) == before
    done = gitmail("setup", host, "--rewake", "--json", **on_path)
    assert done.returncode == 0, done.stderr
    name = json.loads(done.stdout)["agent"]
    changed = snapshot(world.project)
    assert changed != before
    again = json.loads(gitmail("setup", host, "--rewake", "--json", **on_path).stdout)
    assert (again["changes"], again["agent"]) == ([], name)
    assert snapshot(world.project) == changed
    assert gitmail("setup", host, "--undo", **on_path).returncode == 0
    assert snapshot(world.project) == before


def test_a_name_that_somebody_chose_survives_undo(
    world: World, gitmail: Shell, on_path: dict[str, str]
) -> None:
    subprocess.run(["git", "-C", world.project, "config", "gitmail.agent", "Blue"], check=True)
    before = snapshot(world.project)
    assert "agent is Blue" in gitmail("setup", "gemini", **on_path).stdout
    gitmail("setup", "gemini", "--undo", **on_path)
    assert snapshot(world.project) == before


def test_the_name_stays_while_another_host_is_set_up(
    world: World, gitmail: Shell, on_path: dict[str, str]
) -> None:
    before = snapshot(world.project)
    gitmail("setup", "gemini", "--agent", "Tern", **on_path)
    gitmail("setup", "claude", **on_path)
    assert "stays Tern" in gitmail("setup", "gemini", "--undo", **on_path).stdout
    gitmail("setup", "claude", "--undo", **on_path)
    assert snapshot(world.project) == before


def test_the_users_settings_get_the_absolute_program_and_no_name(
    world: World, gitmail: Shell, on_path: dict[str, str]
) -> None:
    before = snapshot(world.project)
    done = gitmail("setup", "gemini", "--user", "--json", **on_path)
    assert json.loads(done.stdout)["agent"] is None
    written = json.loads(Path(on_path["HOME"], ".gemini/settings.json").read_text())
    assert Path(written["mcpServers"]["gitmail"]["command"]).is_absolute()
    assert snapshot(world.project) == before


def test_the_hook_that_setup_wrote_works_as_it_stands(
    world: World, gitmail: Shell, on_path: dict[str, str]
) -> None:
    world.letter("Green", "Blue")
    gitmail("setup", "claude", "--agent", "Blue", **on_path)
    settings = json.loads((world.project / ".claude/settings.json").read_text())
    [group] = settings["hooks"]["SessionStart"]
    [hook] = group["hooks"]
    data = {"session_id": "s", "cwd": str(world.project), "hook_event_name": "SessionStart"}
    done = subprocess.run(
        [hook["command"], *hook["args"]],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        env=os.environ | on_path,
        cwd="/",
    )
    assert done.returncode == 0
    assert "mailbox is Blue; 1 letter waits" in done.stdout
