"""Hostile surroundings: it works, or one sentence says why, and nothing outside is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmail_shell import Shell, git, new_project, snapshot


def correspond(shell: Shell, **options: object) -> None:
    """Init, register, send, read, list: what every day needs."""
    shell("init", **options)
    shell("register", "BlueLake", **options)
    letter = shell.ask("send", "BlueLake", "-s", "Hi", "-m", "x", "--ack", **options)["id"]
    assert shell.ask("read", letter, "--as", "BlueLake", **options)["read_at"]
    assert shell.ask("inbox", "BlueLake", **options)["waiting"] == 1


def slice_of_life(shell: Shell, **options: object) -> None:
    """The same, and whatever else starts git or writes."""
    correspond(shell, **options)
    shell("undo", "HEAD", **options)
    shell("log", **options)
    shell("maintain", **options)
    assert shell.ask("doctor", **options)["ok"]


def test_inside_a_hook_of_another_repository(fresh: Shell, tmp_path: Path) -> None:
    decoy = new_project(tmp_path / "decoy")
    before = snapshot(decoy)
    variables = {
        "GIT_DIR": f"{decoy}/.git",
        "GIT_WORK_TREE": str(decoy),
        "GIT_COMMON_DIR": f"{decoy}/.git",
        "GIT_INDEX_FILE": f"{decoy}/.git/index",
        "GIT_OBJECT_DIRECTORY": f"{decoy}/.git/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{decoy}/.git/objects",
        "GIT_QUARANTINE_PATH": f"{decoy}/.git/objects",
        "GIT_PREFIX": "sub/",
        "GIT_NAMESPACE": "decoy",
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CONFIG_PARAMETERS": "'user.name'='Decoy'",
        "GIT_AUTHOR_NAME": "Decoy",
        "GIT_AUTHOR_DATE": "1 +0000",
        "GIT_COMMITTER_NAME": "Decoy",
        "GIT_COMMITTER_DATE": "1 +0000",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_TRACE": f"{tmp_path}/trace",
        "GIT_EDITOR": f"touch {tmp_path}/edited",
    }
    slice_of_life(fresh, env=variables)
    assert snapshot(decoy) == before
    assert "Decoy" not in fresh.store_git("log", "--format=%an %cn")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["decoy", "fresh"]


def test_a_user_config_that_would_break_every_commit(fresh: Shell, tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    for hook in ("pre-commit", "reference-transaction", "post-index-change", "fsmonitor"):
        (evil / hook).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-{hook}\nexit 1\n")
        (evil / hook).chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"""[user]
    name = Pat Person
    email = pat@example.com
    signingKey = 0000000000000000
[commit]
    gpgSign = true
    template = /nowhere/template
[tag]
    gpgSign = true
[gpg]
    program = /nowhere/gpg
[core]
    hooksPath = {evil}
    autocrlf = true
    eol = crlf
    fsmonitor = {evil}/fsmonitor
    pager = {evil}/fsmonitor
    attributesFile = {evil}/attributes
[init]
    defaultBranch = trunk
    templateDir = {evil}
[merge]
    ff = only
[push]
    gpgSign = true
[color]
    ui = always
[log]
    showSignature = true
""",
        encoding="utf-8",
    )
    (evil / "attributes").write_text("* text eol=crlf filter=evil ident\n")
    before = config.read_bytes()
    slice_of_life(fresh, env={"GIT_CONFIG_GLOBAL": str(config)})
    assert not list(tmp_path.glob("ran-*"))
    assert fresh.store_git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert config.read_bytes() == before


@pytest.mark.parametrize("shape", ["worktree", "submodule", "bare", "separate"])
def test_any_shape_of_repository(tmp_path: Path, shape: str) -> None:
    """The store is in the common dir, and found from every checkout."""
    folder, common = globals()[f"_{shape}"](tmp_path)
    shell = Shell(folder)
    correspond(shell)
    assert shell.ask("where")["store"] == str(common / "gitmail")
    inside = folder / "deep" / "er"
    inside.mkdir(parents=True)
    assert shell.ask("where", cwd=inside)["store"] == str(common / "gitmail")
    assert git(folder, "status", "--porcelain", "--ignore-submodules") == ""


def _worktree(top: Path) -> tuple[Path, Path]:
    project = new_project(top / "project")
    git(project, "worktree", "add", "-q", str(top / "linked"))
    return top / "linked", project / ".git"


def _submodule(top: Path) -> tuple[Path, Path]:
    library, project = new_project(top / "library"), new_project(top / "project")
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    return project / "lib", project / ".git" / "modules" / "lib"


def _bare(top: Path) -> tuple[Path, Path]:
    git(top, "clone", "-q", "--bare", str(new_project(top / "origin")), str(top / "hub.git"))
    git(top / "hub.git", "worktree", "add", "-q", str(top / "checkout"))
    return top / "checkout", top / "hub.git"


def _separate(top: Path) -> tuple[Path, Path]:
    folder = top / "project"
    git(top, "init", "-q", "--separate-git-dir", str(top / "elsewhere.git"), str(folder))
    return folder, top / "elsewhere.git"


def test_the_code_project_stays_byte_for_byte(fresh: Shell, tmp_path: Path) -> None:
    (fresh.folder / "code.py").write_text("print('changed')\n")
    git(fresh.folder, "add", "code.py")
    (fresh.folder / "code.py").write_text("print('changed again')\n")
    (fresh.folder / "new.py").write_text("")
    before = snapshot(fresh.folder)
    slice_of_life(fresh)
    fresh("init")
    assert snapshot(fresh.folder, without=[fresh.store]) == before


def test_from_the_root_folder(fresh: Shell) -> None:
    fresh("init")
    failed = fresh("inbox", "--json", cwd=Path("/"), code=1).json
    assert failed["error"] in ("project_not_found", "project_refused")
    assert fresh.ask("inbox", "--project", str(fresh.folder), cwd=Path("/"))["waiting"] == 0


def test_from_a_home_folder_that_is_a_repository(tmp_path: Path) -> None:
    home = new_project(tmp_path / "home")
    refused = Shell(home)("init", "--json", env={"HOME": str(home)}, code=1).json
    assert refused["error"] == "project_refused"
    assert not (home / ".git" / "gitmail").exists()


def test_a_working_folder_that_was_deleted(fresh: Shell, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    shell = Shell(fresh.folder, prefix=("sh", "-c", f'cd {gone} && rmdir {gone} && exec "$@"', "-"))
    assert shell("inbox", "--json", code=1).json["error"] == "no_working_folder"


def test_no_identity_at_all(fresh: Shell) -> None:
    nobody = dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME", "EMAIL"), "")
    correspond(fresh, env={"GIT_CONFIG_GLOBAL": "/dev/null", **nobody})
    assert "Person" in [one["name"] for one in fresh.ask("agents")["agents"]]


def test_without_git_on_the_path(fresh: Shell, tmp_path: Path) -> None:
    failed = fresh("inbox", "--json", env={"PATH": str(tmp_path)}, code=1).json
    assert failed["error"] == "git_missing"


# -- file systems --------------------------------------------------------------------------------


def may_mount() -> bool:
    """Tell whether this process may mount in a namespace of its own."""
    if shutil.which("unshare") is None or shutil.which("mount") is None:
        return False
    script = "mount -t tmpfs -o size=1m tmpfs /mnt"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True)
    return done.returncode == 0


mounting = pytest.mark.skipif(not may_mount(), reason="this process may not mount")


def inside(script: str) -> tuple[str, ...]:
    """Return a prefix that runs the command in a mount namespace after `script`."""
    return ("unshare", "-m", "sh", "-c", f'{script} && exec "$@"', "-")


@pytest.fixture
def frozen(fresh: Shell) -> Iterator[Shell]:
    """A store with a letter, whose whole .git is read-only."""
    fresh("init")
    fresh("register", "BlueLake")
    fresh("send", "BlueLake", "-s", "Kept", "-m", "the text")
    git_dir = fresh.folder / ".git"
    fresh.prefix = inside(f"mount --bind {git_dir} {git_dir} && mount -o remount,bind,ro {git_dir}")
    yield fresh
    fresh.prefix = ()


@mounting
@pytest.mark.parametrize("indexed", [True, False])
def test_a_read_only_git_folder_can_be_read(frozen: Shell, indexed: bool) -> None:
    if not indexed:
        for file in (frozen.store / ".git" / "gitmail").glob("index*"):
            file.unlink()
    before = snapshot(frozen.folder)
    listed = frozen.ask("inbox", "BlueLake")
    assert [one["subject"] for one in listed["letters"]] == ["Kept"]
    letter = listed["letters"][0]["id"]
    read = frozen.ask("read", letter, "--as", "BlueLake")
    assert read["text"] == "the text"
    assert "not_marked" in [one["code"] for one in read["warnings"]]
    for command in (("agents",), ("sent",), ("show", letter), ("log",), ("where",)):
        frozen(*command)
    assert snapshot(frozen.folder) == before


@mounting
@pytest.mark.parametrize(
    "args",
    [("send", "BlueLake", "-m", "x"), ("register", "New"), ("ack", "12345678", "--as", "BlueLake")],
)
def test_a_read_only_git_folder_refuses_writes_in_one_sentence(
    frozen: Shell, args: tuple[str, ...]
) -> None:
    failed = frozen(*args, code=1)
    assert failed.out == ""
    assert "read-only" in failed.err
    assert frozen(*args, "--json", code=1).json["error"] == "read_only"


@mounting
def test_init_on_a_read_only_git_folder_says_so(fresh: Shell) -> None:
    git_dir = fresh.folder / ".git"
    fresh.prefix = inside(f"mount --bind {git_dir} {git_dir} && mount -o remount,bind,ro {git_dir}")
    assert fresh("init", "--json", code=1).json["error"] == "read_only"


@mounting
def test_a_full_disk_is_one_sentence_and_loses_nothing(fresh: Shell, tmp_path: Path) -> None:
    """All in one namespace: a small tmpfs is filled, a send fails, room is made, it works."""
    small = tmp_path / "small"
    small.mkdir()
    script = f"""
        mount -t tmpfs -o size=3m tmpfs {small} && cd {small} && git init -q . || exit 90
        gitmail="$@"
        $gitmail init && $gitmail register BlueLake && $gitmail send BlueLake -m first || exit 91
        dd if=/dev/zero of=filler bs=4k 2>/dev/null
        $gitmail send BlueLake -m second --json >"{tmp_path}/said"
        test $? = 1 || exit 92
        $gitmail inbox BlueLake --json >"{tmp_path}/listed" || exit 93
        rm filler
        $gitmail send BlueLake -m third || exit 94
        $gitmail doctor && git -C .git/gitmail fsck --strict --no-dangling || exit 95
        $gitmail inbox BlueLake --json >"{tmp_path}/after"
    """
    command = [*("unshare", "-m", "sh", "-c", script, "-"), sys.executable, *("-m", "gitmail")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=55)
    assert done.returncode == 0, done
    assert '"error": "disk_full"' in (tmp_path / "said").read_text()
    assert '"subject": "first"' in (tmp_path / "listed").read_text()
    after = (tmp_path / "after").read_text()
    assert '"subject": "third"' in after
    assert '"subject": "second"' not in after


def test_a_store_of_another_user_is_refused_in_gits_own_words() -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)  # pytest's own folders are closed to others
        shell = Shell(new_project(Path(top) / "shop"))
        shell("init")
        shell.prefix = ("setpriv", "--reuid=65534", "--clear-groups")
        stranger = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": top, "XDG_CONFIG_HOME": top}
        failed = shell("inbox", "--json", code=None, env=stranger)
    if failed.code in (126, 127):
        pytest.skip("another user cannot start this interpreter")
    assert failed.json["error"] == "dubious_ownership"
    assert "safe.directory" in failed.json["hint"]
