"""`gitmail hook`: one line when something new waits, silence otherwise, and never in the way."""

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
from gitmail.board.sessions import Sessions, process_key, session_key
from gitmail.git.project import discover, set_project_config
from gitmail.mail.acknowledge import mark_read
from gitmail.mail.receive import receive
from gitmail_hooks.host_hook import answered
from gitmail_hooks.hosts import HookOutput

NAMES = {
    "claude": ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent"),
    "cursor": ("sessionStart", "beforeSubmitPrompt", "postToolUse", "stop"),
}
WORDS = ("session-start", "prompt", "tool-used", "stop")


def payload(world: World, word: str, host: str = "claude", **fields: object) -> bytes:
    name = NAMES[host][WORDS.index(word)]
    data = {"session_id": "s1", "cwd": str(world.project), "hook_event_name": name, **fields}
    return json.dumps(data).encode()


def said(world: World, word: str, *more: str, agent: str = "Blue", **fields: object) -> str:
    """What Claude Code's agent is told at an event."""
    output = answered(
        ["claude", word, *more],
        {"GITMAIL_AGENT": agent, "HOME": "/nonexistent"},
        payload(world, word, **fields),
    )
    assert output.exit_code == 0
    assert output.stderr == ""
    if not output.stdout:
        return ""
    answer = json.loads(output.stdout)
    if "reason" in answer:
        assert answer["decision"] == "block"
        return str(answer["reason"])
    return str(answer["hookSpecificOutput"]["additionalContext"])


def test_a_session_starts_with_one_line_about_its_mailbox(world: World) -> None:
    world.letter("Green", "Blue", "Old")
    assert said(world, "session-start").startswith(
        "gitmail: this session's mailbox is Blue; 1 letter waits in it:"
    )
    assert said(world, "tool-used") == ""


def test_each_letter_is_told_once_and_only_to_sessions_that_did_not_hear_it(world: World) -> None:
    said(world, "session-start")
    sent = world.letter("Green", "Blue", 'Say "hi" <b>')
    line = said(world, "tool-used")
    assert line.startswith("gitmail: 1 new letter for Blue:")
    assert sent.letter.id[:8] in line
    assert "\\u003cb" in line
    assert "The text." not in line
    assert said(world, "tool-used") == ""
    assert said(world, "prompt") == ""
    assert said(world, "prompt", session_id="another") != ""


@pytest.mark.parametrize("look", ["receive", "mark_read"])
def test_a_letter_that_was_read_in_between_is_not_told(world: World, look: str) -> None:
    said(world, "session-start")
    sent = world.message("Green", "Blue")
    if look == "receive":
        receive(world.store, world.caller("Blue"))
    else:
        mark_read(world.store, world.caller("Blue"), sent.letter.id)
    assert said(world, "tool-used") == ""
    world.letter("Green", "Blue", "New")
    assert "2 waiting in all" in said(world, "tool-used")


def test_a_stop_is_silent_without_rewake(world: World) -> None:
    world.message("Green", "Blue", urgent=True)
    assert said(world, "stop") == ""


def test_with_rewake_a_stop_hands_over_a_ring_once(world: World) -> None:
    said(world, "session-start")
    world.message("Green", "Blue", "Come", urgent=True)
    assert "1 new letter for Blue" in said(world, "stop", "--rewake")
    assert said(world, "stop", "--rewake", stop_hook_active=True) == ""
    ring_later(world)
    line = said(world, "stop", "--rewake")
    assert "Later" in line
    assert "Come" not in line


def test_a_ring_that_the_session_was_told_of_keeps_no_turn_going(world: World) -> None:
    said(world, "session-start")
    world.message("Green", "Blue", "Come", urgent=True)
    assert said(world, "tool-used") != ""
    ring_later(world)
    assert "Come" not in said(world, "stop", "--rewake")


def ring_later(world: World) -> None:
    """Ring Blue once somebody waits for it; a letter that does not ring comes before."""

    def ring() -> None:
        presence = Presence(world.store.private)
        deadline = time.monotonic() + 20
        while not presence.seen("Blue").listening and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        world.letter("Green", "Blue", "Quiet")
        world.message("Green", "Blue", "Later", urgent=True)

    threading.Thread(target=ring, daemon=True).start()


def test_in_a_subagent_nothing_is_said_and_nothing_counts_as_told(world: World) -> None:
    said(world, "session-start")
    world.letter("Green", "Blue")
    assert said(world, "tool-used", agent_id="sub-1") == ""
    assert said(world, "tool-used") != ""


def test_expired_mail_is_not_told(world: World) -> None:
    file = world.store.path / "gitmail.toml"
    file.write_text(file.read_text().replace("[mail]\n", "[mail]\npending_ttl = 1\n"))
    said(world, "session-start")
    world.message("Green", "Blue")
    time.sleep(1.1)
    assert said(world, "tool-used") == ""


# -- who, and where --------------------------------------------------------------------------


def asked(
    world: World, environ: dict[str, str], word: str = "session-start", **fields: object
) -> HookOutput:
    return answered(["claude", word], environ, payload(world, word, **fields))


def test_the_agent_is_the_environments_then_the_sessions_then_the_checkouts(world: World) -> None:
    for name in ("Blue", "Green", "Grey"):
        world.caller(name)
    project = discover(world.project)
    nobody = asked(world, {})
    assert (nobody.stdout, nobody.exit_code) == ("", 0)
    assert "no agent is known" in nobody.stderr
    assert asked(world, {}, "tool-used").stderr == ""
    set_project_config(project, "gitmail.agent", "Grey")
    assert "mailbox is Grey" in asked(world, {}).stdout
    Sessions(world.store.private).bind(session_key("s1"), "Green")
    assert "mailbox is Green" in asked(world, {}).stdout
    assert "mailbox is Grey" in asked(world, {}, session_id="s2").stdout
    assert "mailbox is Blue" in asked(world, {"GITMAIL_AGENT": "Blue"}).stdout


def test_a_host_without_session_ids_for_its_server_is_known_by_its_process(world: World) -> None:
    world.caller("Green")
    key = process_key(os.getppid())
    if key is None:
        pytest.skip("the start time of a process cannot be told here")
    Sessions(world.store.private).bind(key, "Green")
    assert "mailbox is Green" in asked(world, {}).stdout


def test_a_projects_variable_counts_above_the_hosts_folder(world: World, tmp_path: Path) -> None:
    environ = {"GITMAIL_AGENT": "Blue"}
    elsewhere = str(tmp_path)
    assert asked(world, environ, cwd=elsewhere).stdout == ""
    for name in ("GITMAIL_PROJECT", "CLAUDE_PROJECT_DIR"):
        found = asked(world, environ | {name: str(world.project)}, cwd=elsewhere)
        assert "mailbox is Blue" in found.stdout


def test_an_index_that_is_behind_or_missing_changes_no_answer(world: World) -> None:
    said(world, "session-start")
    world.letter("Green", "Blue", "One")
    for file in world.store.private.root.glob("index*"):
        file.unlink()
    assert "One" in said(world, "tool-used")
    subprocess.run(["git", "clone", "-q", world.store.path, world.project.parent / "c"], check=True)
    assert said(world, "tool-used") == ""


# -- never in the way ------------------------------------------------------------------------

BAD_CALLS: list[tuple[list[str], bytes]] = [
    ([], b""),
    (["claude"], b"{}"),
    (["claude", "tool-used"], b""),
    (["claude", "tool-used"], b"not json"),
    (["claude", "tool-used"], b"[1, 2]"),
    (["claude", "tool-used"], b"\xff\xfe"),
    (["claude", "tool-used"], b'{"session_id": 7}'),
    (["claude", "tool-used", "more"], b"{}"),
    (["claude", "no-such-event"], b"{}"),
    (["nobody", "stop"], b"{}"),
    (["gemini", "tool-used"], b"{"),
]


@pytest.mark.parametrize(("arguments", "data"), BAD_CALLS)
def test_whatever_is_wrong_is_silence_one_line_and_exit_0(
    arguments: list[str], data: bytes
) -> None:
    output = answered(arguments, {}, data)
    assert output.exit_code == 0
    assert output.stdout in ("", "{}\n")
    assert output.stderr.count("\n") == 1


@pytest.mark.parametrize("damage", ["toml", "main", "permission", "index"])
def test_a_broken_store_is_silence_or_an_answer_but_never_a_failure(
    world: World, damage: str
) -> None:
    world.letter("Green", "Blue")
    if damage == "toml":
        (world.store.path / "gitmail.toml").write_bytes(b"\xff[[[")
    elif damage == "main":
        (world.store.git_dir / "refs/heads/main").write_text("nonsense\n")
    elif damage == "permission":
        (world.store.private.root / "announced").write_text("in the way")
    else:
        for file in world.store.private.root.glob("index*"):
            file.write_bytes(b"garbage" * 100)
    output = answered(
        ["claude", "tool-used"], {"GITMAIL_AGENT": "Blue"}, payload(world, "tool-used")
    )
    assert output.exit_code == 0
    assert output.stderr.count("\n") <= 1


@pytest.mark.parametrize("host", ["claude", "gemini", "cursor"])
def test_the_program_answers_in_its_hosts_form(
    world: World, gitmail: Callable[..., subprocess.CompletedProcess[str]], host: str
) -> None:
    world.letter("Green", "Blue")
    session = {"conversation_id": "c1"} if host == "cursor" else {}
    data = payload(world, "session-start", host, **session).decode()
    done = gitmail("hook", host, "session-start", stdin=data, GITMAIL_AGENT="Blue")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    answer = json.loads(done.stdout)
    text = answer.get("additional_context") or answer["hookSpecificOutput"]["additionalContext"]
    assert "1 letter waits" in text
    quiet = gitmail("hook", host, "stop", stdin="{}", GITMAIL_AGENT="Blue")
    assert (quiet.returncode, quiet.stdout) == (0, "" if host == "claude" else "{}\n")


def test_without_a_store_or_a_project_there_is_not_a_word(
    world: World, gitmail: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    subprocess.run(["git", "init", "-q", str(bare)], check=True)
    for folder in (tmp_path, bare):
        data = payload(world, "tool-used", cwd=str(folder)).decode()
        done = gitmail("hook", "claude", "tool-used", stdin=data, cwd=folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_fast_path_loads_nothing_heavy_and_starts_no_process(world: World) -> None:
    world.letter("Green", "Blue")
    program = (
        "import sys, os; from gitmail.cli.main import run;"
        "from gitmail_hooks.host_hook import answered;"
        "data = sys.stdin.buffer.read();"
        "out = answered(['claude', 'tool-used'], {'GITMAIL_AGENT': 'Blue'}, data);"
        "assert 'new letter' in out.stdout, out;"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=payload(world, "tool-used"),
        capture_output=True,
        check=True,
    )
    loaded = set(done.stdout.decode().split())
    heavy = {"mcp", "git", "click", "rich", "watchdog", "yaml", "frontmatter", "subprocess"}
    heavy |= {"filelock", "tomllib", "logging", "asyncio", "gitmail.store.store"}
    assert not loaded & heavy
