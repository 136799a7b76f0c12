"""The installed guard against a real store: who commits, what is leased, what urgent mail waits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, caller, make_store, opened, post

from gitmail.board.sessions import Sessions, process_key, session_key
from gitmail.git.glance import glance
from gitmail.reservations.reserve import Request, reserve
from gitmail.store.private import PrivateState
from gitmail_hooks.install import install
from gitmail_hooks.mailbox_look import Spot
from gitmail_hooks.stubs import ALL_HOOKS
from gitmail_hooks.whoami import whoami


@pytest.fixture
def store_path(code) -> Path:
    """The store of the repository, with `src/**` leased to BlueLake."""
    path = make_store(code.top / ".git" / "gitmail")
    lease(path, BLUE, "src/**", reason="Reworking the login", thread="FEAT-123")
    return path


def lease(path: Path, name: str, *targets: str, **more: object) -> None:
    with opened(path, durable=False) as store:
        reserve(store, caller(name), Request(targets, **more))  # type: ignore[arg-type]


@pytest.fixture
def guarded(code, store_path: Path, interpreter: str):
    """The repository with all hooks installed, used by GreenCastle."""
    install(code.environment, code.top, interpreter, kinds=ALL_HOOKS)
    code.environment["GITMAIL_AGENT"] = GREEN
    return code


def stopped(done: subprocess.CompletedProcess[str]) -> bool:
    assert (done.returncode != 0) == ("is stopped" in done.stderr), done.stderr
    return done.returncode != 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "x"],
        ["-a", "-m", "x"],
        ["-m", "x", "--", "src/a.py"],
        ["-p", "-m", "x"],
        ["--amend", "--no-edit"],
        ["--amend", "-a", "--no-edit"],
    ],
)
def test_each_form_of_commit_is_stopped_and_the_index_stays(guarded, arguments: list[str]) -> None:
    guarded.write("src/a.py", "mine\n")
    if "-p" not in arguments:
        guarded.git("add", "-A")
    tree = guarded.git("write-tree")
    done = guarded.try_git("commit", *arguments, stdin="y\n")
    assert stopped(done)
    assert "Reworking the login" in done.stderr
    assert "-p" in arguments or guarded.git("write-tree") == tree
    assert guarded.git("fsck", "--strict", "--no-dangling") == ""


def test_what_is_free_is_committed_exactly_as_staged(guarded) -> None:
    guarded.write("docs/x.md", "mine\n")
    guarded.git("add", "-A")
    tree = guarded.git("write-tree")
    guarded.git("commit", "-q", "-m", "free")
    assert guarded.git("rev-parse", "HEAD^{tree}") == tree


def test_from_a_subfolder_a_linked_worktree_and_with_a_sparse_checkout(
    guarded, tmp_path: Path
) -> None:
    guarded.write("src/a.py", "y\n")
    assert stopped(guarded.try_git("commit", "-am", "x", cwd=guarded.top / "docs"))
    linked = tmp_path / "linked"
    guarded.git("worktree", "add", "-q", "-b", "other", str(linked))
    guarded.git("sparse-checkout", "set", "docs", cwd=linked)
    (linked / "docs/x.md").write_text("free\n")
    guarded.git("commit", "-q", "-am", "free", cwd=linked)
    guarded.git("sparse-checkout", "disable", cwd=linked)
    (linked / "src/a.py").write_text("y\n")
    assert stopped(guarded.try_git("commit", "-am", "x", cwd=linked))


def test_rebase_merge_and_cherry_pick_pass_what_the_holder_did(guarded) -> None:
    guarded.git("checkout", "-q", "-b", "theirs")
    guarded.environment["GITMAIL_AGENT"] = BLUE
    guarded.commit("holder", "src/a.py")
    picked = guarded.git("rev-parse", "HEAD")
    guarded.git("checkout", "-q", "main")
    guarded.environment["GITMAIL_AGENT"] = GREEN
    guarded.commit("mine", "docs/y.md")
    guarded.git("merge", "-q", "--no-edit", "theirs")
    guarded.git("checkout", "-q", "-b", "more", "HEAD~1")
    guarded.commit("more", "docs/z.md")
    guarded.git("rebase", "-q", "main")
    guarded.git("checkout", "-q", "-b", "picking", "more~1")
    assert guarded.try_git("cherry-pick", "--allow-empty", picked).returncode in (0, 1)


def test_with_git_dir_in_the_environment_it_works_and_touches_no_other_repository(
    guarded, make_code: Callable
) -> None:
    decoy = make_code("decoy")
    before = sorted(os.listdir(decoy.top / ".git"))
    guarded.environment["GIT_WORK_TREE"] = str(guarded.top)
    guarded.environment["GIT_DIR"] = str(guarded.top / ".git")
    guarded.write("src/a.py", "y\n")
    assert stopped(guarded.try_git("commit", "-am", "x"))
    assert sorted(os.listdir(decoy.top / ".git")) == before


def test_a_person_is_warned_and_stopped_only_where_the_store_says_so(
    guarded, store_path: Path
) -> None:
    del guarded.environment["GITMAIL_AGENT"]
    guarded.write("src/a.py", "y\n")
    done = guarded.try_git("commit", "-am", "x")
    assert (done.returncode, "does not stop you" in done.stderr) == (0, True)
    settings = store_path / "gitmail.toml"
    settings.write_text(settings.read_text().replace('# people = "warn"', 'people = "block"'))
    guarded.write("src/a.py", "z\n")
    assert stopped(guarded.try_git("commit", "-am", "x"))


def test_without_a_store_and_with_a_broken_one_commits_pass(code, interpreter: str) -> None:
    install(code.environment, code.top, interpreter)
    code.environment["GITMAIL_AGENT"] = GREEN
    code.write("src/a.py", "y\n")
    assert code.try_git("commit", "-am", "x").stderr == ""
    path = make_store(code.top / ".git" / "gitmail")
    lease(path, BLUE, "src/**")
    for file in (path / "reservations").iterdir():
        file.write_text("no header")
    code.write("src/a.py", "z\n")
    done = code.try_git("commit", "-am", "x")
    assert (done.returncode, "not checked" in done.stderr) == (0, True)
    code.environment["GITMAIL_AGENT"] = "no name!"
    code.write("src/a.py", "zz\n")
    done = code.try_git("commit", "-am", "x")
    assert (done.returncode, "checked nothing" in done.stderr) == (0, True)


def test_urgent_mail_is_told_once_and_ordinary_mail_not(guarded, store_path: Path) -> None:
    with opened(store_path) as store:
        post(store, BLUE, GREEN)
        post(store, BLUE, GREEN, importance="urgent")
    said = []
    for text in "abc":
        guarded.write("docs/x.md", text)
        said.append(guarded.try_git("commit", "-am", "x").stderr)
    assert said == ["gitmail: 1 urgent letter from BlueLake: gitmail inbox\n", "", ""]
    with opened(store_path) as store:
        post(store, BLUE, GREEN, importance="urgent")
    guarded.environment["GITMAIL_AGENT"] = GREEN.lower()
    guarded.write("docs/x.md", "d")
    assert "1 urgent letter" in guarded.try_git("commit", "-am", "x").stderr


# -- who commits ----------------------------------------------------------------------------------


def test_the_name_is_looked_for_in_the_documented_order(code, store_path: Path) -> None:
    found = glance(str(code.top))
    assert found is not None
    spot = Spot(str(code.top), str(store_path), found.config)
    assert whoami({}, spot) is None
    spot = spot._replace(config={"gitmail.agent": "Lasting"})
    assert whoami({}, spot) == "Lasting"
    sessions = Sessions(PrivateState.of_store(store_path))
    key = process_key(os.getppid())
    if key is not None:
        sessions.bind(key, "OfTheHost")
        assert whoami({}, spot) == "OfTheHost"
    sessions.bind(session_key("s1"), "OfTheSession")
    assert whoami({"CLAUDE_CODE_SESSION_ID": "s1"}, spot) == "OfTheSession"
    assert whoami({"GITMAIL_AGENT": "Given", "CLAUDE_CODE_SESSION_ID": "s1"}, spot) == "Given"


# -- the trailer ----------------------------------------------------------------------------------


def test_the_trailer_names_the_thread_of_an_own_reservation_of_a_changed_file(guarded) -> None:
    guarded.environment["GITMAIL_AGENT"] = BLUE
    guarded.commit("own", "src/a.py")
    assert guarded.git("log", "-1", "--format=%B") == "own\n\nGitmail-Thread: FEAT-123"
    guarded.commit("other", "docs/x.md")
    assert guarded.git("log", "-1", "--format=%B") == "other"


@pytest.mark.parametrize("branch", ["FEAT-7", "fix/FEAT-7", "pat/FEAT-7-login"])
def test_the_trailer_names_the_thread_that_the_branch_is_named_after(
    guarded, store_path: Path, branch: str
) -> None:
    guarded.git("checkout", "-q", "-b", branch)
    guarded.commit("not yet", "docs/x.md")
    assert "Gitmail-Thread" not in guarded.git("log", "-1", "--format=%B")
    with opened(store_path) as store:
        post(store, BLUE, GREEN, thread="FEAT-7")
    guarded.commit("now", "docs/x.md")
    assert guarded.git("log", "-1", "--format=%(trailers)") == "Gitmail-Thread: FEAT-7"
    guarded.git("commit", "-q", "--amend", "--no-edit")
    assert guarded.git("log", "-1", "--format=%(trailers)") == "Gitmail-Thread: FEAT-7"


def test_an_empty_message_stays_empty_so_that_git_gives_up(guarded, store_path: Path) -> None:
    with opened(store_path) as store:
        post(store, BLUE, GREEN, thread="main")
    guarded.write("docs/x.md", "y\n")
    guarded.environment["GIT_EDITOR"] = "true"
    done = guarded.try_git("commit", "-a", "-v")
    assert (done.returncode, "empty commit message" in done.stderr) == (1, True)
    guarded.git("commit", "-q", "-am", "said")
    assert guarded.git("log", "-1", "--format=%B") == "said\n\nGitmail-Thread: main"
