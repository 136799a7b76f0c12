"""A store is made whole or not at all, and its settings stay what gitmail relies on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_store

from gitmail.errors import Refused, StoreUnavailable
from gitmail.git import process, refs, repository


def _others(path: Path) -> list[str]:
    return [name for name in os.listdir(path.parent) if name != path.name]


def test_plain_git_works_in_the_stores_top_folder(git_dir: Path) -> None:
    top = git_dir.parent
    line = ["git", "-C", str(top)]
    log = subprocess.run([*line, "log", "--oneline"], check=True, capture_output=True, text=True)
    assert log.stdout.endswith("start: a store\n")
    for refused in (
        ["commit", "-am", "x"],
        ["stash"],
        ["worktree", "add", "../w"],
        ["clean", "-f"],
    ):
        done = subprocess.run([*line, *refused], check=False, capture_output=True)
        assert done.returncode != 0, refused
    tiny_store.assert_sound(git_dir)


def test_creating_a_store_twice_keeps_the_first(git_dir: Path) -> None:
    main = refs.read_main(git_dir)
    made = repository.create(git_dir.parent, lambda top: pytest.fail(str(top)))
    assert (made, refs.read_main(git_dir)) == (False, main)


def test_of_many_creators_one_wins_and_nothing_lies_about(tmp_path: Path) -> None:
    path = tmp_path / "s" / "store"
    line = [sys.executable, tiny_store.__file__, "create", str(path)]
    env = tiny_store.child_env(None)
    children = [
        subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=env) for _ in range(8)
    ]
    said = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0] * 8
    assert sorted(said) == ["False\n"] * 7 + ["True\n"]
    assert _others(path) == []
    assert tiny_store.git(path / ".git", "rev-list", "--count", "main") == "1"


def test_what_a_killed_creator_left_is_removed_and_a_live_ones_is_not(tmp_path: Path) -> None:
    path = tmp_path / "store"
    dead = tiny_store.run_child("create", str(path), "--die")
    assert dead.returncode == -signal.SIGKILL
    assert len(_others(path)) == 1
    assert not path.exists()

    def fill(top: Path) -> None:
        inner = tiny_store.run_child("create", str(tmp_path / "store"))
        assert inner.stdout == "True\n", inner.stderr
        assert top.is_dir(), "a creator at work is left alone"
        tiny_store.write_first(repository.git_dir_of(top))

    assert repository.create(path, fill) is False
    assert _others(path) == []


def test_a_store_whose_filling_fails_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        repository.create(tmp_path / "store", lambda top: 1 / 0)  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("content", ["file", "folder", "repository"])
def test_a_place_that_holds_something_else_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "store"
    if content == "file":
        path.write_text("mine", encoding="utf-8")
    elif content == "folder":
        (path / "sub").mkdir(parents=True)
    else:
        subprocess.run(["git", "init", "-q", str(path)], check=True)
    with pytest.raises(Refused) as caught:
        tiny_store.make_store(path)
    assert caught.value.code == "not_empty"
    assert _others(path) == []


def test_an_empty_folder_becomes_the_store(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    tiny_store.assert_sound(tiny_store.make_store(tmp_path / "notes"))


def test_the_users_templates_and_defaults_reach_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = tmp_path / "template"
    (template / "hooks").mkdir(parents=True)
    (template / "hooks" / "post-commit").write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[init]\n\ttemplateDir = {template}\n\tdefaultBranch = master\n\tdefaultRefFormat = "
        "reftable\n[core]\n\thooksPath = /elsewhere\n[commit]\n\tgpgSign = true\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    git_dir = tiny_store.make_store(tmp_path / "store")
    assert os.listdir(git_dir / "hooks") == []
    assert (git_dir / "HEAD").read_text(encoding="ascii") == "ref: refs/heads/main\n"
    assert tiny_store.git(git_dir, "config", "core.hooksPath") == "hooks"
    assert repository.check_config(git_dir) == []


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (["core.bare", "false"], "core.bare is 'false', not 'true'"),
        (["core.hooksPath", "/elsewhere"], "core.hooksPath is '/elsewhere', not 'hooks'"),
        (["--unset", "receive.denyDeletes"], "receive.denyDeletes is not set, not 'true'"),
        (["core.worktree", "/elsewhere"], "core.worktree is set"),
        (["include.path", "/elsewhere"], "include.path is set"),
    ],
)
def test_a_changed_setting_is_told_and_repaired(git_dir: Path, args: list[str], what: str) -> None:
    assert repository.check_config(git_dir) == []
    tiny_store.git(git_dir, "config", *args)
    assert [problem.what for problem in repository.check_config(git_dir)] == [what]
    assert [problem.what for problem in repository.repair_config(git_dir)] == [what]
    assert repository.check_config(git_dir) == []


def test_checking_an_unchanged_config_starts_no_process(
    git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository.check_config(git_dir) == []
    monkeypatch.setenv("PATH", "/nonexistent")
    assert repository.check_config(git_dir) == []


def test_a_hook_that_cannot_run_and_a_missing_guard_file_are_told(git_dir: Path) -> None:
    hook = git_dir / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\n", encoding="ascii")
    (git_dir / "worktrees").unlink()
    told = [problem.what for problem in repository.check_config(git_dir, ["pre-receive"])]
    assert told == [
        "the hook pre-receive is missing or not executable",
        "the file that refuses linked worktrees is gone",
    ]
    hook.chmod(0o755)
    repository.repair_config(git_dir)
    assert repository.check_config(git_dir, ["pre-receive"]) == []


@pytest.mark.parametrize(
    ("key", "value"), [("extensions.objectFormat", "sha256"), ("extensions.refStorage", "reftable")]
)
def test_another_hash_or_ref_format_is_refused(git_dir: Path, key: str, value: str) -> None:
    with (git_dir / "config").open("a", encoding="ascii") as config:
        section, name = key.split(".")
        config.write(f"[{section}]\n\t{name} = {value}\n")
    with pytest.raises(StoreUnavailable) as caught:
        repository.check_config(git_dir)
    assert caught.value.code == "unsupported_repository"


def test_a_push_may_only_add(git_dir: Path, tmp_path: Path) -> None:
    clone = ["git", "-C", str(tmp_path / "clone")]
    subprocess.run(["git", "clone", "-q", str(git_dir), clone[2]], check=True)
    subprocess.run([*clone, "commit", "-q", "--allow-empty", "-m", "by hand"], check=True)
    subprocess.run([*clone, "push", "-q"], check=True)
    subprocess.run([*clone, "commit", "-q", "--amend", "--allow-empty", "-m", "else"], check=True)
    for push in (["--force"], ["--delete", "origin", "main"]):
        done = subprocess.run([*clone, "push", *push], check=False, capture_output=True)
        assert done.returncode != 0, push
    assert tiny_store.git(git_dir, "log", "-1", "--format=%s") == "by hand"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a folder away")
def test_another_users_store_is_refused_in_gits_own_words(git_dir: Path) -> None:
    repository.check_owner(git_dir.parent)
    for folder, _, files in os.walk(git_dir.parent):
        for name in ["", *files]:
            os.chown(os.path.join(folder, name), 12345, 12345)
    with pytest.raises(StoreUnavailable) as caught:
        repository.check_owner(git_dir.parent)
    assert caught.value.code == "dubious_ownership"
    assert "dubious ownership" in caught.value.message
    assert "safe.directory" in caught.value.facts["git"]


def _fake_git(folder: Path, script: str) -> str:
    fake = folder / "git"
    fake.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    fake.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_a_missing_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StoreUnavailable) as caught:
        process.run(["version"], git_dir=None)
    assert (caught.value.code, caught.value.hint) == ("git_missing", "Install git 2.31 or newer.")


def test_an_old_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", _fake_git(tmp_path, "echo git version 2.20.1"))
    with pytest.raises(StoreUnavailable) as caught:
        tiny_store.make_store(tmp_path / "store")
    assert caught.value.code == "git_missing"
    assert "2.20.1 is too old" in caught.value.message


def test_a_git_that_hangs_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    script = f"sleep 60 & echo $! > {pid}; wait"
    monkeypatch.setenv("PATH", _fake_git(tmp_path, script))
    with pytest.raises(StoreUnavailable) as caught:
        process.run(["log"], git_dir=None, timeout=1.0)
    assert caught.value.code == "git_timeout"
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", pid.read_text().strip()], check=False, capture_output=True
    )
    assert state.stdout.strip() in (b"", b"Z")


def test_a_failure_names_the_command_and_gits_words(git_dir: Path) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        process.run(["show", "none"], git_dir=git_dir)
    assert caught.value.code == "git_failed"
    assert caught.value.message.startswith("`git show` failed with status 128: fatal: ")


def test_a_repository_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        process.run(["log"], git_dir=tmp_path / "gone")
    assert caught.value.code == "store_missing"


def test_a_relative_path_names_the_same_repository(
    git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(git_dir.parent.parent)
    relative = git_dir.relative_to(git_dir.parent.parent)
    assert process.run(["rev-parse", "main"], git_dir=relative).decode().strip() == (
        refs.read_main(git_dir)
    )
