"""What each command does for a person at a shell, run as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from gitmail_shell import Shell, git, new_project

from gitmail.cli.group import COMMANDS


def send(shop: Shell, *args: str, **options: object) -> str:
    return shop.ask("send", *args, **options)["id"]


# -- init and where ------------------------------------------------------------------------------


def test_init_twice_is_fine_and_says_so(fresh: Shell) -> None:
    first = fresh.ask("init")
    assert first == {
        "store": str(fresh.store),
        "name": "fresh",
        "created": True,
        "maintainers": ["PatPerson"],
    }
    main = fresh.store_git("rev-parse", "main")
    again = fresh("init")
    assert "already" in again.out
    assert fresh.store_git("rev-parse", "main") == main


def test_init_writes_this_interpreter_into_the_hooks(shop: Shell) -> None:
    hook = (shop.store / ".git" / "hooks" / "pre-receive").read_text()
    assert f"python={sys.executable}\n" in hook


def test_init_elsewhere_is_recorded_relative_to_the_common_dir(fresh: Shell) -> None:
    elsewhere = fresh.folder.parent / "notes" / "mail"
    made = fresh.ask("init", "--store", str(elsewhere), "--name", "notes")
    assert (made["store"], made["name"]) == (str(elsewhere), "notes")
    assert git(fresh.folder, "config", "gitmail.store") == "../../notes/mail"
    assert fresh("where").out == f"{elsewhere}\n"
    assert not fresh.store.exists()


def test_init_refuses_to_leave_a_store_behind(fresh: Shell) -> None:
    fresh("init")
    refused = fresh("init", "--store", str(fresh.folder.parent / "other"), "--json", code=1)
    assert refused.json["error"] == "store_elsewhere"
    assert not (fresh.folder.parent / "other").exists()


def test_two_projects_may_share_a_store(fresh: Shell, tmp_path: Path) -> None:
    other = Shell(new_project(tmp_path / "other"))
    shared = str(tmp_path / "shared")
    assert fresh.ask("init", "--store", shared)["created"]
    assert not other.ask("init", "--store", shared)["created"]
    fresh("register", "BlueLake")
    assert [one["name"] for one in other.ask("agents")["agents"]] == ["BlueLake"]


def test_init_makes_a_name_that_is_not_reserved(tmp_path: Path) -> None:
    shell = Shell(new_project(tmp_path / "Project"))
    assert shell.ask("init")["name"] == "project-store"


def test_where_prints_one_line_that_a_shell_can_use(shop: Shell) -> None:
    assert shop("where").out == f"{shop.store}\n"
    assert shop.ask("where")["project"] == str(shop.folder)


def test_a_project_without_a_store_names_init(fresh: Shell) -> None:
    failed = fresh("inbox", code=1)
    assert failed.out == ""
    assert "gitmail: This project has no gitmail store yet" in failed.err
    assert "gitmail init" in failed.err


# -- agents --------------------------------------------------------------------------------------


def test_registering_again_updates_what_is_given_and_keeps_the_id(shop: Shell) -> None:
    made = shop.ask("register", "Ann", "--program", "codex", "--task", "tests")
    before = shop.commits()
    again = shop.ask("register", "ANN", "--task", "docs")
    assert (again["name"], again["id"]) == ("Ann", made["id"])
    assert (again["program"], again["task"], again["changed"]) == ("codex", "docs", ["task"])
    assert shop.ask("register", "ann", "--task", "docs")["changed"] == []
    assert shop.commits() == before + 1


def test_agents_tells_what_waits(shop: Shell) -> None:
    shop("register", "Bob")
    send(shop, "Bob", "-m", "hello")
    bob = next(one for one in shop.ask("agents")["agents"] if one["name"] == "Bob")
    assert (bob["waiting"], bob["unread"], bob["attached"]) == (1, 1, False)
    assert "Bob" in shop("agents").out


# -- letters -------------------------------------------------------------------------------------


def test_a_letter_is_sent_read_answered_and_acknowledged(shop: Shell) -> None:
    letter = send(
        shop, "GreenCastle", "--cc", "BlueLake", "-s", "Plan", "-m", "Look.", "--ack",
        "--thread", "T-1", "--topic", "plans", "--importance", "high", "--as", "BlueLake",
    )  # fmt: skip
    listed = next(one for one in shop.ask("inbox", "GreenCastle")["letters"] if one["id"] == letter)
    assert (listed["from"], listed["cc"], listed["thread"]) == ("BlueLake", ["BlueLake"], "T-1")
    assert (listed["topic"], listed["importance"], listed["ack_required"]) == (
        "plans",
        "high",
        True,
    )

    shown = shop.ask("read", letter[:8], "--as", "GreenCastle")
    assert (shown["text"], shown["verified"], shown["state"]) == ("Look.", True, "waiting")
    answer = shop.ask("reply", letter[:8], "-m", "Done.", "--as", "GreenCastle")
    assert (answer["subject"], answer["to"], answer["thread"]) == ("Re: Plan", ["BlueLake"], "T-1")
    shop("ack", letter[:10], "--as", "GreenCastle")

    sent = shop.ask("sent", "--as", "BlueLake")["letters"]
    receipts = {one["recipient"]: one for one in sent[0]["receipts"]}
    assert receipts["GreenCastle"]["acknowledged_at"] > receipts["GreenCastle"]["read_at"]
    assert receipts["BlueLake"]["read_at"] is None
    assert "GreenCastle: acknowledged 20" in shop("sent", "--as", "BlueLake").out
    assert "acknowledged 20" in shop("show", letter).out
    assert "acknowledged: Plan" in shop("log", "--author", "GreenCastle").out


def test_only_the_owners_reading_marks_a_letter(shop: Shell) -> None:
    letter = send(shop, "BlueLake", "-s", "Mine", "-m", "text", "--as", "GreenCastle")
    before = shop.commits()
    assert shop.ask("read", letter, "--as", "GreenCastle")["read_at"] is None
    assert shop.ask("read", letter)["read_at"] is None
    assert shop.ask("show", letter, "--as", "BlueLake")["read_at"] is None
    assert shop.commits() == before
    marked = shop.ask("read", letter, "--as", "BlueLake")["read_at"]
    assert marked is not None
    assert shop.ask("read", letter, "--as", "bluelake")["read_at"] == marked
    assert shop.commits() == before + 1


def test_a_text_from_standard_input_comes_back_byte_for_byte(shop: Shell) -> None:
    text = "\n  first\r\n\ttabs, ünïcödé 🐟\n---\nkey: value\n\n"
    letter = send(shop, "BlueLake", "-s", "Bytes", "-m", "-", stdin=text.encode())
    assert shop.ask("show", letter)["text"] == text


def test_without_a_subject_the_first_line_is_one(shop: Shell) -> None:
    assert shop.ask("send", "BlueLake", "-m", "\nShip it\nnow")["subject"] == "Ship it"


def test_without_a_text_no_editor_is_started(shop: Shell) -> None:
    failed = shop("send", "BlueLake", "-s", "x", code=2, env={"EDITOR": "touch /tmp/never"})
    assert "The text is missing" in failed.err


def test_a_letter_to_three_names_each_unknown_one_and_sends_nothing(shop: Shell) -> None:
    before = shop.commits()
    failed = shop("send", "BlueLake", "BleuLake", "-m", "x", "--json", code=None)
    assert failed.code != 0
    assert failed.json["error"] == "recipient_not_found"
    assert "BlueLake" in failed.out
    assert shop.commits() == before


def test_ack_tells_the_known_from_the_unknown(shop: Shell) -> None:
    letter = send(shop, "BlueLake", "-m", "ack me", "--ack")
    done = shop("ack", letter, "deadbeef", "--as", "BlueLake", "--json", code=1).json
    assert [one["id"] for one in done["acknowledged"]] == [letter]
    assert done["missing"] == ["deadbeef"]
    unknown = shop("ack", "deadbeef", "--as", "BlueLake", "--json", code=1).json
    assert unknown["error"] == "message_not_found"


def test_inbox_lists_handled_letters_on_demand(shop: Shell) -> None:
    shop("register", "Cleo")
    letter = send(shop, "Cleo", "-s", "Old", "-m", "x")
    shop("read", letter, "--as", "Cleo")
    assert shop("inbox", "Cleo").out == "no letters wait for Cleo\n"
    everything = shop.ask("inbox", "Cleo", "--all")
    assert (everything["waiting"], [one["id"] for one in everything["handled"]]) == (0, [letter])
    assert "1 letter handled" in shop("inbox", "--all", "--as", "Cleo").out


# -- the store -----------------------------------------------------------------------------------


def test_log_is_readable(shop: Shell) -> None:
    send(shop, "BlueLake", "-s", "In the log", "-m", "x", "--as", "GreenCastle")
    newest = shop.ask("log", "--limit", "1")["commits"][0]
    assert newest["author"] == "GreenCastle"
    assert newest["subject"] == "mail: GreenCastle -> BlueLake: In the log"
    assert newest["trailers"]["To"] == ["BlueLake"]
    assert shop("log", "--limit", "1").out.endswith("mail: GreenCastle -> BlueLake: In the log\n")


def test_commit_takes_up_a_persons_edit(shop: Shell) -> None:
    note = shop.store / "agents" / "BlueLake.md"
    note.write_text(note.read_text() + "Knows the parser.\n")
    assert shop.ask("commit") == {
        "committed": ["agents/BlueLake.md"], "restored": [], "set_aside": [],
    }  # fmt: skip
    assert "Knows the parser." in shop.store_git("show", "main:agents/BlueLake.md")
    assert shop.ask("log", "--limit", "1")["commits"][0]["author"] == "Pat Person"
    assert shop("commit").out == "nothing was edited\n"


def test_any_command_takes_up_an_edited_note(shop: Shell) -> None:
    note = shop.store / "agents" / "GreenCastle.md"
    note.write_text(note.read_text() + "Reviews.\n")
    shop("agents")
    assert "Reviews." in shop.store_git("show", "main:agents/GreenCastle.md")


def test_a_broken_note_is_set_aside_and_named_by_the_next_command(shop: Shell) -> None:
    note = shop.store / "agents" / "GreenCastle.md"
    good = note.read_bytes()
    note.write_bytes(b"---\nid: [1\n")
    os.utime(note, (1, 1))  # saved long ago, not in the middle of a save
    told = shop("agents", "--json")
    assert any(one["code"] == "set_aside" for one in told.json["warnings"])
    assert note.read_bytes() == good
    assert "warnings" not in shop.ask("agents")


def test_undo_of_an_acknowledgement_makes_the_letter_wait_again(shop: Shell) -> None:
    letter = send(shop, "BlueLake", "-s", "Undo me", "-m", "x", "--ack")
    shop("ack", letter, "--as", "BlueLake")
    commit = shop.ask("log", "--limit", "1")["commits"][0]["commit"]
    assert shop.ask("undo", commit[:10])["undoes"] == commit
    assert letter in [one["id"] for one in shop.ask("inbox", "BlueLake")["letters"]]
    refused = shop("undo", commit, "--json", code=1).json
    assert refused["error"] == "cannot_undo"


def test_maintain_packs_and_is_done(shop: Shell) -> None:
    send(shop, "BlueLake", "-m", "x")
    assert shop.ask("maintain")["loose_after"] == 0
    assert "nothing to pack" in shop("maintain").out
    assert shop.ask("inbox", "BlueLake")["waiting"] > 0


def test_doctor_finds_a_store_in_order(shop: Shell) -> None:
    report = shop.ask("doctor")
    assert report["ok"] is True
    assert {one["level"] for one in report["findings"]} <= {"ok", "info"}


def test_check_store_judges_a_range(shop: Shell) -> None:
    assert shop.ask("check-store", "HEAD~1..")["ok"] is True
    unknown = shop("check-store", "nonsense..main", "--json", code=1).json
    assert unknown["error"] == "commit_not_found"


# -- all of them ---------------------------------------------------------------------------------


def test_every_command_has_help_and_the_common_options(shop: Shell) -> None:
    listed = shop("--help").out
    for name in COMMANDS:
        assert f"\n  {name} " in listed
    answers = {name: shop(name, "--help").out for name in ("inbox", "serve", "check-store")}
    for text in answers.values():
        assert "--as NAME" in text
        assert "--project PATH" in text
    assert "--json" in answers["inbox"]
    assert "--json" not in answers["serve"]


def test_no_arguments_show_the_help(shop: Shell) -> None:
    assert shop().out.startswith("Usage: gitmail [OPTIONS] COMMAND")


def test_options_stand_before_or_after_the_command(shop: Shell, tmp_path: Path) -> None:
    before = shop(
        "--project", str(shop.folder), "--as", "BlueLake", "inbox", "--json", cwd=tmp_path
    )
    after = shop("inbox", "--json", "--as", "BlueLake", "--project", str(shop.folder), cwd=tmp_path)
    assert before.json == after.json
    assert before.json["agent"] == "BlueLake"


def test_serve_speaks_mcp_on_standard_output_and_ends_with_its_input(shop: Shell) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "gitmail", "serve", "--agent", "BlueLake"],
        cwd=shop.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(hello).encode() + b"\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "gitmail"
    _, _ = server.communicate(timeout=20)
    assert server.returncode == 0
