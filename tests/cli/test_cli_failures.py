"""What a failing command says, with which exit code, and that a bad file hides nothing."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gitmail_shell import Shell, git


@pytest.mark.parametrize(
    ("args", "code", "error"),
    [
        (("inbox", "Nobody"), 1, "agent_not_found"),
        (("read", "12345678"), 1, "message_not_found"),
        (("read", "xyz"), 2, "invalid_message_id"),
        (("register", "all"), 2, "invalid_name"),
        (("register", "deadbeef"), 2, "invalid_name"),
        (("register", "../x"), 2, "invalid_name"),
        (("register", "Ok", "--task", "two\nlines"), 2, "invalid_task"),
        (("send", "BlueLake", "-m", "  "), 2, "invalid_text"),
        (("send", "BlueLake", "-m", "x", "-s", "a\nb"), 2, "invalid_subject"),
        (("send", "BlueLake", "-m", "x", "-s", "s" * 201), 2, "invalid_subject"),
        (("send", "BlueLake", "-m", "x", "--reply-to", "12345678"), 1, "message_not_found"),
        (("send", "BlueLake", "-m", "x", "--importance", "very"), 2, "usage"),
        (("send",), 2, "usage"),
        (("sned",), 2, "usage"),
        (("inbox", "--unknown"), 2, "usage"),
        (("undo", "nonsense"), 1, "commit_not_found"),
        (("inbox", "--project", "/nowhere"), 1, "project_not_found"),
    ],
)
def test_a_failure_is_one_object(shop: Shell, args: tuple[str, ...], code: int, error: str) -> None:
    before = shop.commits()
    told = shop(*args, "--json", code=code)
    assert told.json["error"] == error
    assert told.json["message"]
    assert told.err == ""
    assert shop.commits() == before


def test_a_failure_without_json_is_a_sentence_and_a_hint(shop: Shell) -> None:
    for args, code in ((("inbox", "Nobody"), 1), (("sned",), 2)):
        told = shop(*args, code=code)
        assert told.out == ""
        assert told.err.startswith("gitmail: ")
        assert told.err.count("\n") == 2


def test_text_that_is_not_utf8_is_refused(shop: Shell) -> None:
    failed = shop("send", "BlueLake", "-m", "-", "--json", stdin=b"a\xff", code=2).json
    assert failed["error"] == "invalid_text"
    endless = shop("send", "BlueLake", "-m", "-", "--json", stdin=b"x" * 300_000, code=2).json
    assert (endless["error"], endless["limit"]) == ("invalid_text", 262_144)


def test_three_different_answers(fresh: Shell) -> None:
    """Empty, no such agent, and unreadable files are never confused."""
    shop = fresh
    shop("init")
    shop("register", "Dora")
    assert shop("inbox", "Dora").out == "no letters wait for Dora\n"
    assert "There is no agent 'Doris'" in shop("inbox", "Doris", code=1).err
    shop("send", "Dora", "-s", "Good", "-m", "x")
    _commit_broken(shop, "Dora", 3)
    told = shop("inbox", "Dora").out
    assert "1 letter waits for Dora" in told
    assert "Good" in told
    assert "3 files could not be read:" in told
    assert "mail/Dora/inbox/20260101T000000Z-0000000" in told
    found = shop.ask("inbox", "Dora")
    assert (found["waiting"], len(found["unreadable"])) == (1, 3)


def _commit_broken(shop: Shell, name: str, count: int) -> None:
    """Bring broken letters into main past every check, as a damaged history would."""
    inbox = f"mail/{name}/inbox"
    clone = shop.folder.parent / "clone"
    git(shop.folder.parent, "clone", "-q", str(shop.store), str(clone))
    for number in range(count):
        file = clone / inbox / f"20260101T000000Z-0000000{number}-broken.md"
        file.write_text("---\nid: nonsense\n---\n\nx\n")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "broken")
    objects = shop.store / ".git"
    git(clone, "--git-dir", str(objects), "fetch", "-q", str(clone), "main")
    tip = git(clone, "rev-parse", "main")
    git(clone, "--git-dir", str(objects), "update-ref", "refs/heads/main", tip)
    for file in objects.joinpath("gitmail").glob("index*"):
        file.unlink()
    (objects / "gitmail" / "tree").write_text(tip + "\n")
    for file in (clone / inbox).glob("*-broken.md"):
        (shop.store / inbox / file.name).write_bytes(file.read_bytes())


@pytest.mark.storm  # it waits out the ten seconds a writer waits
def test_a_busy_store_ends_with_4_and_names_the_lock(shop: Shell) -> None:
    queue = os.open(shop.store / ".git" / "gitmail" / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(queue, fcntl.LOCK_EX)
    try:
        busy = shop("send", "BlueLake", "-m", "x", "--json", code=4).json
    finally:
        os.close(queue)
    assert busy["error"] == "store_busy"
    assert busy["lock"].startswith(str(shop.store))


def test_a_reader_that_went_away_is_no_trouble(shop: Shell) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "gitmail", "agents"],
        cwd=shop.folder, stdout=writer, stderr=subprocess.PIPE, timeout=30,
    )  # fmt: skip
    os.close(writer)
    assert ended.stderr == b""


def test_output_that_cannot_be_written_is_a_failure(shop: Shell) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "gitmail", "agents"],
            cwd=shop.folder, stdout=full, stderr=subprocess.PIPE, timeout=30,
        )  # fmt: skip
    assert ended.returncode == 1
    assert b"gitmail: No space left on device" in ended.stderr


def test_ctrl_c_is_quiet(shop: Shell) -> None:
    waiting = subprocess.Popen(
        [sys.executable, "-m", "gitmail", "send", "BlueLake", "-m", "-"],
        cwd=shop.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not _reads_input(waiting.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=20)
    assert (waiting.returncode, err) == (130, b"")


def _reads_input(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/wchan").read_text().startswith(("pipe", "anon_pipe"))
    except OSError:
        return False


def test_a_crash_at_any_step_leaves_a_store_that_the_next_command_repairs(shop: Shell) -> None:
    steps = ("locked", "tree-written", "tree-placed", "tree-marked")
    for step in steps:
        before = shop.commits()
        shop(
            "send", "BlueLake", "-s", step, "-m", "x",
            env={"GITMAIL_TEST_KILL_AT": step}, code=-signal.SIGKILL,
        )  # fmt: skip
        subjects = [one["subject"] for one in shop.ask("inbox", "BlueLake")["letters"]]
        assert (step in subjects) == (shop.commits() == before + 1)
        assert shop.ask("doctor")["ok"], step


def test_json_is_ascii_and_one_line(shop: Shell) -> None:
    shop("send", "BlueLake", "-s", "Grüße 🐟", "-m", "x")
    out = shop("inbox", "BlueLake", "--json").out
    assert out.isascii()
    assert out.count("\n") == 1
    assert json.loads(out)["letters"][-1]["subject"] == "Grüße 🐟"
