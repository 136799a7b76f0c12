"""The stage stands up anywhere, touches nothing else, and its final checks do find faults."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmail.demo.checks import run_checks
from gitmail.demo.failure import DemoFailed
from gitmail.demo.sample import sample_script
from gitmail.demo.stage import Stage, build_stage, clean_environment, commits, git, new_folder
from gitmail.errors import StoreUnavailable

SCRIPT = sample_script()
HOSTILE = """
[user]
    signingKey = missing
[commit]
    gpgSign = true
    template = /nonexistent/template
[core]
    hooksPath = {hooks}
    autocrlf = true
[init]
    defaultBranch = trunk
"""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return build_stage(new_folder(tmp_path / "demo"), SCRIPT, os.environ)


def test_a_project_and_a_linked_worktree_on_its_branch_stand_ready(stage: Stage) -> None:
    assert git(stage, stage.project, "branch", "--show-current") == "main\n"
    assert git(stage, stage.worktree, "branch", "--show-current") == f"{SCRIPT.branch}\n"
    assert git(stage, stage.project, "log", "--format=%an") == f"{SCRIPT.person.name}\n"
    for folder in (stage.project, stage.worktree):
        assert (folder / "tides" / "parser.py").is_file()
        assert git(stage, folder, "status", "--porcelain") == ""


def test_the_users_own_git_settings_do_not_reach_the_stage(tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(HOSTILE.format(hooks=hooks))
    environ = dict(os.environ) | {"HOME": str(home), "GIT_DIR": "/elsewhere/.git"}
    stage = build_stage(new_folder(tmp_path / "demo"), SCRIPT, environ)
    assert git(stage, stage.project, "branch", "--show-current") == "main\n"
    assert git(stage, stage.project, "rev-list", "--count", "HEAD") == "1\n"
    assert b"\r" not in (stage.worktree / "README.md").read_bytes()


def test_programs_of_the_demo_inherit_no_word_about_another_repository_or_agent() -> None:
    environ = {
        "PATH": "/bin",
        "HOME": "/home/pat",
        "GIT_DIR": "/x",
        "GITMAIL_AGENT": "Me",
        "CLAUDE_PROJECT_DIR": "/y",
    }
    kept = clean_environment(environ)
    assert kept.keys() == {"PATH", "HOME", "PYTHONPATH"}


def test_a_folder_that_holds_something_is_refused_and_left(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(DemoFailed, match="not empty"):
        new_folder(tmp_path)
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_file_in_the_way_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DemoFailed, match="cannot be used"):
        new_folder(tmp_path / "file")


def test_a_git_failure_is_told_in_gits_own_words(stage: Stage) -> None:
    with pytest.raises(StoreUnavailable, match="no-such-branch"):
        git(stage, stage.project, "rev-parse", "no-such-branch")


# The final checks, against a store made by plain git: what they let pass and what they find.


def record(stage: Stage, path: str, text: str) -> None:
    """Commit one file to the store with git's own work tree commands."""
    file = stage.store / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    person = ("-c", "user.name=Pat", "-c", "user.email=pat@example.com")
    git(stage, stage.store, "--work-tree=.", "add", "--", path)
    git(stage, stage.store, *person, "--work-tree=.", "commit", "-q", "-m", path)


@pytest.fixture
def played(stage: Stage) -> Stage:
    stage.store.mkdir()
    git(stage, stage.store, "init", "-q", "--template=", "-b", "main")
    record(stage, "README.md", "store\n")
    planned = sum(step.commits for step in SCRIPT.steps)
    for number in range(planned):
        name = list(SCRIPT.waiting)[number % len(SCRIPT.waiting)]
        folder = "inbox" if number < len(SCRIPT.waiting) and SCRIPT.waiting[name] else "archive"
        file = f"20261130T200102Z-3f9a1c{number:02x}-letter.md"
        record(stage, f"mail/{name}/{folder}/{file}", f"{number}\n")
    return stage


def test_the_checks_hold_for_a_store_that_is_as_it_should_be(played: Stage) -> None:
    assert len(list(run_checks(played, SCRIPT, 1))) == 6


def test_a_missing_commit_is_found(played: Stage) -> None:
    with pytest.raises(DemoFailed, match="commits"):
        list(run_checks(played, SCRIPT, 0))


def test_a_file_that_differs_from_main_is_found(played: Stage) -> None:
    (played.store / "README.md").write_text("other\n")
    with pytest.raises(DemoFailed, match=r"differs from main in README\.md"):
        list(run_checks(played, SCRIPT, 1))


def test_a_file_that_main_does_not_know_is_found(played: Stage) -> None:
    (played.store / "mail" / "stray.md").write_text("stray\n")
    with pytest.raises(DemoFailed, match=r"mail/stray\.md"):
        list(run_checks(played, SCRIPT, 1))


def test_a_letter_too_many_is_found(played: Stage) -> None:
    path = "mail/GreenCastle/inbox/20261130T200102Z-3f9a1cff-letter.md"
    record(played, path, "one more\n")
    with pytest.raises(DemoFailed, match="GreenCastle's inbox"):
        list(run_checks(played, SCRIPT, 2))


def test_a_merge_is_found(played: Stage) -> None:
    tree = git(played, played.store, "rev-parse", "main^{tree}").strip()
    parents = ("-p", "main", "-p", "main~1")
    person = ("-c", "user.name=Pat", "-c", "user.email=pat@example.com")
    merge = git(played, played.store, *person, "commit-tree", tree, *parents, "-m", "merge")
    git(played, played.store, "update-ref", "refs/heads/main", merge.strip())
    with pytest.raises(DemoFailed, match="not linear"):
        list(run_checks(played, SCRIPT, 1))


def test_a_changed_code_project_is_found(played: Stage) -> None:
    (played.worktree / "new.txt").write_text("new")
    with pytest.raises(DemoFailed, match=r"changed the code project: \?\? new\.txt"):
        list(run_checks(played, SCRIPT, 1))


def test_a_damaged_object_is_found(played: Stage) -> None:
    blob = git(played, played.store, "rev-parse", "main:README.md").strip()
    file = played.store / ".git" / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(b"damage")
    with pytest.raises(StoreUnavailable, match="fsck"):
        list(run_checks(played, SCRIPT, 1))


def test_commits_are_mains(played: Stage) -> None:
    assert commits(played) == 1 + sum(step.commits for step in SCRIPT.steps)
