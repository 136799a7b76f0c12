"""The look without git says the same as git wherever it says anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmail.errors import GitmailError, NotFound
from gitmail.git.glance import glance
from gitmail.git.project import discover


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def made(folder: Path, *words: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", *words)
    return folder


def plain(top: Path) -> Path:
    return made(top / "shop")


def subfolder(top: Path) -> Path:
    (plain(top) / "src" / "deep").mkdir(parents=True)
    return top / "shop" / "src" / "deep"


def linked_worktree(top: Path) -> Path:
    shop = plain(top)
    git(shop, "commit", "-q", "--allow-empty", "-m", "x")
    git(shop, "worktree", "add", "-q", str(top / "tree"))
    return top / "tree"


def linked_worktree_with_names(top: Path) -> Path:
    tree = linked_worktree(top)
    git(tree, "config", "gitmail.agent", "Blue")
    return tree


def submodule(top: Path) -> Path:
    git(made(top / "part"), "commit", "-q", "--allow-empty", "-m", "x")
    shop = plain(top)
    allow = ("-c", "protocol.file.allow=always")
    git(shop, *allow, "submodule", "add", "-q", str(top / "part"), "part")
    return shop / "part"


def separate_git_dir(top: Path) -> Path:
    return made(top / "shop", f"--separate-git-dir={top / 'elsewhere'}")


def bare(top: Path) -> Path:
    return made(top / "shop.git", "--bare")


def inside_git_folder(top: Path) -> Path:
    return plain(top) / ".git" / "hooks"


def symlinked(top: Path) -> Path:
    (top / "link").symlink_to(subfolder(top))
    return top / "link"


def nested_in_a_broken_one(top: Path) -> Path:
    inner = plain(top) / "inner"
    (inner / ".git").mkdir(parents=True)
    return inner


def configured(*lines: str) -> Callable[[Path], Path]:
    def make(top: Path) -> Path:
        shop = plain(top)
        with (shop / ".git" / "config").open("a") as file:
            file.write("".join(f"{line}\n" for line in lines))
        return shop

    return make


def worktree_config(top: Path) -> Path:
    shop = plain(top)
    git(shop, "config", "extensions.worktreeConfig", "true")
    git(shop, "config", "--worktree", "gitmail.agent", "Blue")
    return shop


def set_by_git(top: Path) -> Path:
    shop = plain(top)
    git(shop, "config", "gitmail.agent", "BlueLake")
    git(shop, "config", "gitmail.store", "../notes/mail")
    git(shop, "config", "gitmail.setupAgent", "BlueLake")
    return shop


def included(top: Path) -> Path:
    (top / "more").write_text("[gitmail]\n\tagent = Blue\n")
    return configured("[include]", f"\tpath = {top / 'more'}")(top)


def nowhere(top: Path) -> Path:
    (top / "empty").mkdir()
    return top / "empty"


LAYOUTS = [
    plain,
    subfolder,
    linked_worktree,
    linked_worktree_with_names,
    submodule,
    separate_git_dir,
    bare,
    inside_git_folder,
    symlinked,
    nested_in_a_broken_one,
    worktree_config,
    set_by_git,
    included,
    nowhere,
    configured("[gitmail]", "\tagent = Blue # a comment"),
    configured("[gitmail]", '\tagent = "Blue Lake"'),
    configured("[gitmail]", "\tagent = Blue\\", "Lake"),
    configured("[gitmail]", "agent=Blue"),
    configured("[GitMail]", "\tagent = Blue"),
    configured('[gitmail "x"]', "\tagent = Blue"),
    configured("[gitmail] agent = Blue"),
    configured("[gitmail]", "\tagent = Blue", "[gitmail]", "\tagent = Green"),
    configured('[remote "o"]', "\turl = a\\", "[gitmail]", "\tagent = Blue"),
    configured("[gitmail]", "\tagent"),
    configured("[gitmail]", "\tstore = /srv/mail"),
]
QUICK = {plain, subfolder, linked_worktree, separate_git_dir, symlinked, set_by_git}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_glance_agrees_with_git_or_says_nothing(
    tmp_path: Path, layout: Callable[[Path], Path]
) -> None:
    folder = layout(tmp_path)
    try:
        found = glance(str(folder))
    except NotFound:
        with pytest.raises(NotFound):
            discover(folder)
        return
    if layout in QUICK:
        assert found is not None
    if found is None:
        return
    truth = discover(folder)
    assert found.common_dir == os.path.realpath(truth.common_dir)
    assert found.linked == (truth.git_dir != truth.common_dir)
    assert found.config == dict(truth.config)
    assert truth.top is not None
    assert found.top == os.path.realpath(truth.top)


def test_a_repository_of_another_user_is_left_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = plain(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    assert glance(str(shop)) is None


def test_nothing_is_written_or_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = set_by_git(tmp_path)
    before = sorted(str(one) for one in shop.rglob("*"))
    for name in ("fork", "posix_spawn", "execve", "mkdir", "rename"):
        monkeypatch.delattr(os, name)
    try:
        assert glance(str(shop)) is not None
    except GitmailError as error:  # pragma: no cover - the message names the fault
        raise AssertionError(error.message) from error
    assert sorted(str(one) for one in shop.rglob("*")) == before
