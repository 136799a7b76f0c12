"""History for people, through GitPython with our environment."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
import tiny_store

from gitmail.git import history, refs


@pytest.fixture
def told(git_dir: Path) -> Path:
    tiny_store.write(
        git_dir,
        {"mail/A/1.md": b"1"},
        "mail: a.c -> A: One\n\nText.\n\nMessage-Id: 1\nTo: A\nTo: B",
    )
    tiny_store.write(git_dir, {"mail/B/2.md": b"2"}, "mail: abc -> B: Two")
    return git_dir


def test_the_newest_commits_come_first_with_subject_body_and_trailers(told: Path) -> None:
    two, one, start = history.log(told)
    assert two.sha == refs.read_main(told)
    assert (one.subject, one.author) == ("mail: a.c -> A: One", "BlueLake")
    assert one.body == "Text.\n\nMessage-Id: 1\nTo: A\nTo: B"
    assert one.trailers == {"Message-Id": ["1"], "To": ["A", "B"]}
    assert one.when == datetime.fromtimestamp(tiny_store.NOW, UTC)
    assert (start.subject, start.trailers) == ("start: a store", {})


def test_commits_are_chosen_by_number_author_path_and_text_taken_literally(told: Path) -> None:
    assert [entry.subject for entry in history.log(told, 1)] == ["mail: abc -> B: Two"]
    assert len(history.log(told, author="BlueLake")) == 3
    assert history.log(told, author="Blue.*") == []
    assert [entry.subject for entry in history.log(told, paths=["mail/A"])] == [
        "mail: a.c -> A: One"
    ]
    assert [entry.subject for entry in history.log(told, grep="a.c")] == ["mail: a.c -> A: One"]
    assert history.log(told, paths=["--all"]) == []
    assert history.log(told, paths=["mail/*"]) == []


def test_a_store_without_commits_has_no_history(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "x")], check=True)
    assert history.log(tmp_path / "x") == []


def test_reading_history_leaves_no_process_and_no_open_file(told: Path) -> None:
    history.log(told)
    before = len(os.listdir("/dev/fd"))
    for _ in range(10):
        history.log(told)
    assert len(os.listdir("/dev/fd")) == before
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "git"], check=False, capture_output=True
    )
    assert found.stdout == b""


def test_git_variables_do_not_reach_gitpythons_commands(
    told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = history.log(told)
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_NAMESPACE"):
        monkeypatch.setenv(name, str(tmp_path))
    assert history.log(told) == wanted
