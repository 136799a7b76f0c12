"""The project is found from anywhere inside it, and only there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import tiny_store

from gitmail.errors import GitmailError, InvalidInput, NotFound, Refused
from gitmail.git.project import discover, set_project_config


def _git(folder: Path, *args: str) -> None:
    line = ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *args]
    subprocess.run(line, check=True, capture_output=True)


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A code project with one commit, a subfolder and a linked worktree beside it."""
    top = tmp_path / "code"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    (top / "src").mkdir()
    (top / "src" / "a.py").write_text("1\n", encoding="utf-8")
    _git(top, "add", ".")
    _git(top, "commit", "-qm", "start")
    _git(top, "worktree", "add", "-q", str(tmp_path / "linked"))
    return top


@pytest.mark.parametrize("inside", ["", "src", "src/a.py", ".git", ".git/refs/heads"])
def test_a_project_is_found_from_any_place_inside_it(code: Path, inside: str) -> None:
    found = discover(code / inside)
    assert (found.common_dir, found.git_dir) == (code / ".git", code / ".git")
    assert (found.top, found.is_bare, found.store_itself) == (code, False, False)
    assert (found.user_name, found.user_email) == ("Pat Person", "pat@example.com")


def test_a_linked_worktree_shares_the_common_folder(code: Path, tmp_path: Path) -> None:
    for place in (tmp_path / "linked", tmp_path / "linked" / "src", code / ".git/worktrees/linked"):
        found = discover(place)
        assert found.common_dir == code / ".git"
        assert found.git_dir == code / ".git" / "worktrees" / "linked"
        assert found.top == tmp_path / "linked"


def test_a_submodule_is_a_project_of_its_own(code: Path, tmp_path: Path) -> None:
    _git(code, "submodule", "add", "-q", str(tmp_path / "linked"), "sub")
    for place in (code / "sub", code / ".git" / "modules" / "sub"):
        found = discover(place)
        assert found.common_dir == code / ".git" / "modules" / "sub"
        assert found.top == code / "sub"


def test_a_bare_repository_and_its_worktree(code: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    _git(code, "clone", "-q", "--bare", ".", str(bare))
    _git(bare, "worktree", "add", "-q", str(tmp_path / "work"))
    assert (discover(bare).top, discover(bare).is_bare) == (None, True)
    found = discover(tmp_path / "work")
    assert (found.common_dir, found.top, found.is_bare) == (bare, tmp_path / "work", False)


def test_a_separate_git_folder(tmp_path: Path) -> None:
    line = ["git", "init", "-q", "--separate-git-dir", str(tmp_path / "g"), str(tmp_path / "w")]
    subprocess.run(line, check=True)
    found = discover(tmp_path / "w")
    assert (found.common_dir, found.top) == (tmp_path / "g", tmp_path / "w")


def test_a_store_inside_a_project_is_told_from_the_project(code: Path) -> None:
    git_dir = tiny_store.make_store(code / ".git" / "gitmail")
    store = discover(git_dir.parent)
    assert (store.store_itself, store.common_dir) == (True, git_dir)
    assert discover(git_dir / "objects").store_itself
    project = discover(code)
    assert (project.store_itself, project.common_dir) == (False, code / ".git")


def test_variables_that_name_another_repository_are_ignored(
    code: Path, git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(git_dir))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "gitmail.store")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/elsewhere")
    found = discover(code)
    assert found.common_dir == code / ".git"
    assert found.config == {}


def test_outside_a_repository_nothing_is_found(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "gone"):
        with pytest.raises(NotFound) as caught:
            discover(place)
        assert caught.value.code == "project_not_found"


def test_a_repository_in_the_home_folder_is_no_project(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "sub").mkdir()
    assert discover(tmp_path / "sub").top == tmp_path
    with pytest.raises(Refused) as caught:
        discover(tmp_path / "sub", home=tmp_path)
    assert caught.value.code == "project_refused"


def test_a_windows_path_is_refused_and_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("C:\\x\\y", "d:/x"):
        with pytest.raises(InvalidInput) as caught:
            discover(Path(path))
        assert caught.value.code == "invalid_project"
    assert os.listdir(tmp_path) == []


def test_the_projects_own_config_is_read_and_the_users_is_not(code: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "config", "--global", "gitmail.store", "/elsewhere"], check=True)
    try:
        set_project_config(discover(code), "gitmail.store", "../notes")
        assert discover(tmp_path / "linked").config == {"gitmail.store": "../notes"}
        set_project_config(discover(code), "gitmail.store", None)
        set_project_config(discover(code), "gitmail.store", None)
        assert discover(code).config == {}
    finally:
        subprocess.run(["git", "config", "--global", "--unset", "gitmail.store"], check=True)


def test_each_worktree_has_an_agent_of_its_own(code: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    set_project_config(discover(code), "gitmail.agent", "BlueLake")
    assert discover(linked).config == {}
    set_project_config(discover(linked), "gitmail.agent", "GreenCastle")
    assert discover(linked).config == {"gitmail.agent": "GreenCastle"}
    assert discover(code).config == {"gitmail.agent": "BlueLake"}
    set_project_config(discover(linked), "gitmail.agent", None)
    assert discover(linked).config == {}
    done = subprocess.run(
        ["git", "-C", str(code), "config", "extensions.worktreeConfig"], check=False
    )
    assert done.returncode == 1, "the user's repository keeps its format"


@pytest.mark.parametrize("key", ["core.bare", "gitmail", "gitmail.a.b", "gitmail.a\nb", ""])
def test_only_keys_of_gitmail_are_set(code: Path, key: str) -> None:
    with pytest.raises(GitmailError) as caught:
        set_project_config(discover(code), key, "x")
    assert caught.value.code == "invalid_key"
