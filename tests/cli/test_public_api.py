"""The Python interface, as README shows it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gitmail_shell import Shell, git

import gitmail


def test_two_agents_talk(shop: Shell) -> None:
    with gitmail.open(shop.folder, agent="BlueLake") as blue:
        sent = blue.send(["GreenCastle"], "Auth", "Please review.\n", ack_required=True)
        assert blue.sent()[0].letter.id == sent.letter.id
        assert {one.agent.name for one in blue.agents()} >= {"BlueLake", "GreenCastle"}
    with gitmail.open(shop.folder / ".", agent="greencastle") as green:
        waiting = green.inbox()
        assert [one.letter.text for one in waiting] == ["Please review.\n"]
        read = green.read(sent.letter.id[:8])
        assert not read.unread
        assert not read.handled
        done = green.acknowledge(sent.letter.id)
        assert done.deliveries[0].handled
        assert green.inbox() == []
    with gitmail.open(shop.folder, agent="BlueLake") as blue:
        assert blue.sent()[0].deliveries[0].marks.acknowledged_at is not None


def test_a_new_name_is_registered_by_its_first_write(shop: Shell) -> None:
    with gitmail.open(shop.folder, agent="Fresh") as mailbox:
        assert mailbox.inbox() == []
        before = shop.commits()
        mailbox.send(["BlueLake"], "Hello", "from a new agent", request_id="r1")
        assert mailbox.send(["BlueLake"], "Hello", "from a new agent", request_id="r1").repeated
        assert shop.commits() == before + 1
        assert mailbox.register("Fresh", task="greeting").changed == ("task",)
        assert mailbox.warnings() == []


def test_without_a_name_the_checkouts_counts_then_the_git_user(shop: Shell) -> None:
    with gitmail.open(shop.folder) as mailbox:
        assert mailbox.name == "PatPerson"
    git(shop.folder, "config", "gitmail.agent", "Lasting")
    with gitmail.open(shop.folder) as mailbox:
        assert mailbox.name == "Lasting"
    git(shop.folder, "config", "--unset", "gitmail.agent")


def test_failures_are_gitmail_errors(shop: Shell, tmp_path: Path) -> None:
    with pytest.raises(gitmail.NotFound, match="not inside a git repository"):
        gitmail.open(tmp_path)
    with gitmail.open(shop.folder, agent="BlueLake") as mailbox:
        with pytest.raises(gitmail.NotFound) as unknown:
            mailbox.read("12345678")
        assert unknown.value.as_dict()["error"] == "message_not_found"
        with pytest.raises(gitmail.GitmailError):
            mailbox.send(["Nobody"], "x", "y")


def test_one_name_is_one_recipient(shop: Shell) -> None:
    with gitmail.open(shop.folder, agent="BlueLake") as mailbox:
        sent = mailbox.send("GreenCastle", "Auth", "Please review.", cc="BlueLake")
        assert (sent.letter.to, sent.letter.cc) == (("GreenCastle",), ("BlueLake",))


def test_the_example_in_readme_runs(shop: Shell) -> None:
    readme = Path(__file__).parents[2] / "README.md"
    (example,) = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    with gitmail.open(shop.folder) as person:
        person.send("BlueLake", "For the example", "Words.")
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=shop.folder,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "PatPerson For the example" in done.stdout
