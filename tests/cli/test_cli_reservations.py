"""Reservations, hooks and the two histories at a shell."""

from __future__ import annotations

from pathlib import Path

from gitmail_shell import Shell, git, new_project

BLUE, GREEN = {"GITMAIL_AGENT": "BlueLake"}, {"GITMAIL_AGENT": "GreenCastle"}


def test_reserving_waiting_and_releasing_with_exit_codes(shop: Shell) -> None:
    taken = shop.ask("reserve", "src/**", "--for", "2h", "--reason", "login", env=BLUE)
    assert (taken["holder"], taken["paths"]) == ("BlueLake", ["src/**"])
    refused = shop("reserve", "src/a.py", env=GREEN, code=1)
    assert "reserved by BlueLake until" in refused.err
    shop("check", "src/a.py", env=GREEN, code=1)
    assert shop.ask("check", "src/a.py")["stopped"] is False
    shop("reserve", "src/a.py", "--wait", "--timeout", "0s", env=GREEN, code=3)
    listed = shop.ask("reservations")["reservations"]
    assert [(one["holder"], one["turn"]) for one in listed] == [
        ("BlueLake", None),
        ("GreenCastle", 1),
    ]
    shop("release", "--force", "src/a.py", env=BLUE, code=2)
    freed = shop.ask("release", env=BLUE)
    assert [one["holder"] for one in freed["granted"]] == ["GreenCastle"]
    assert shop("release", env=GREEN).out.startswith("released src/a.py")
    assert shop("reservations").out == "Nothing is reserved.\n"


def test_a_file_is_named_from_where_one_stands_or_by_its_whole_path(shop: Shell) -> None:
    folder = shop.folder / "lib"
    folder.mkdir(exist_ok=True)
    (folder / "[x].py").touch()
    shop("reserve", str(folder / "[x].py").replace("[", "\\[").replace("]", "\\]"), env=BLUE)
    shop("check", "[x].py", cwd=folder, env=GREEN, code=1)
    shop("check", "lib", env=GREEN, code=1)
    shop("check", "code.py", env=GREEN)
    shop("release", env=BLUE)


def test_hooks_are_installed_proven_and_taken_away(shop: Shell) -> None:
    assert shop.ask("hooks", "install", "--dry-run")["dry_run"] is True
    shop("hooks", "status", code=1)
    shop("hooks", "install", "--commit-msg")
    states = {one["hook"]: one["state"] for one in shop.ask("hooks", "status")["hooks"]}
    assert states == dict.fromkeys(("pre-commit", "pre-push", "commit-msg"), "active")
    shop("hooks", "uninstall")
    assert shop("hooks", "uninstall").out == "nothing to do\n"


def test_the_log_shows_mail_and_code_of_a_conversation_in_order(shop: Shell) -> None:
    shop("send", "GreenCastle", "-m", "Look at this", "--thread", "FEAT-9", env=BLUE)
    git(shop.folder, "commit", "-q", "--allow-empty", "-m", "Do it\n\nGitmail-Thread: FEAT-9")
    git(shop.folder, "commit", "-q", "--allow-empty", "-m", "Gitmail-Thread: FEAT-99 is another")
    shop("reserve", "src/**", "--thread", "FEAT-9", env=BLUE)
    found = shop.ask("log", "--with-code", "FEAT-9")["commits"]
    assert sorted(one["where"] for one in found) == ["code", "mail", "mail"]
    assert [one["date"] for one in found] == sorted(one["date"] for one in found)
    shop("release", env=BLUE)


def test_checking_where_there_is_no_store_passes(tmp_path: Path) -> None:
    shell = Shell(new_project(tmp_path / "bare"))
    assert shell.ask("check", "code.py") == {"held": [], "stopped": False}
