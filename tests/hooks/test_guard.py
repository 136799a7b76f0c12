"""The guard in real commits and pushes; the store's answer is given as a file."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gitmail.errors import StoreUnavailable
from gitmail.format.reservations import reservation_to_bytes
from gitmail.reservations.touching import Touched
from gitmail.values.reservation import Reservation
from gitmail_hooks.guard import AUTO, BLOCKED, MISUSED, PASSED, call_from, run
from gitmail_hooks.guard_screen import COLUMNS, LINES, blocked_screen, urgent_line, warning_screen
from gitmail_hooks.leases import Leases, read_reservations

NOW = datetime.now(UTC)
LEASE = Reservation(
    id="7c1e90ab" + "0" * 24,
    holder="BlueLake",
    date=NOW - timedelta(minutes=5),
    expires=NOW + timedelta(hours=1),
    paths=("src/**",),
    reason="Reworking the login",
)

GUARD = """
import os, sys
from pathlib import Path
from gitmail.format.reservations import reservation_from_bytes
from gitmail_hooks.guard import run
from gitmail_hooks.leases import Leases
folder = Path(sys.argv[1])
def load(call):
    left = [name for name in os.environ if name.startswith("GIT_") and name in call.environment]
    (folder / "left").write_text(" ".join(left))
    files = [file.read_bytes() for file in sorted(folder.glob("*.md"))]
    me = folder / "me"
    name = me.read_text() if me.exists() else None
    return Leases(tuple(reservation_from_bytes(data, "x") for data in files), name)
sys.exit(run(sys.argv[2:], os.environ, load))
"""


@pytest.fixture
def leases(tmp_path: Path) -> Path:
    """The folder of the store's answer: reservations as *.md, the caller's name in `me`."""
    folder = tmp_path / "leases"
    folder.mkdir()
    (folder / "me").write_text("GreenCastle")
    (folder / "1.md").write_bytes(reservation_to_bytes(LEASE))
    return folder


@pytest.fixture
def guarded(code, leases: Path, tmp_path: Path):
    """The repository with the guard as both its hooks."""
    script = tmp_path / "guard.py"
    script.write_text(GUARD)
    path = shlex.quote(os.pathsep.join(sys.path))
    for kind in ("pre-commit", "pre-push"):
        words = shlex.join([sys.executable, str(script), str(leases), kind])
        code.hook(kind, f'#!/bin/sh\nPYTHONPATH={path} exec {words} "$@"\n')
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
        ["--amend", "--no-edit"],
        ["--amend", "-a", "--no-edit"],
    ],
)
def test_each_form_of_commit_over_somebody_elses_lease_is_stopped(
    guarded, arguments: list[str]
) -> None:
    head = guarded.git("rev-parse", "HEAD")
    guarded.write("src/a.py", "mine\n")
    guarded.git("add", "-A")
    done = guarded.try_git("commit", *arguments)
    assert stopped(done)
    assert guarded.git("rev-parse", "HEAD") == head
    assert guarded.git("diff", "--cached", "--name-only") == "src/a.py"
    for word in ("BlueLake", "Reworking the login", "src/a.py", "until", "--no-verify"):
        assert word in done.stderr
    guarded.git("commit", "-q", "--no-verify", "-m", "on purpose")


def test_moving_a_leased_file_away_is_stopped_too(guarded) -> None:
    guarded.git("mv", "src/a.py", "docs/a.py")
    assert stopped(guarded.try_git("commit", "-m", "x"))


def test_other_files_own_leases_and_expired_ones_pass(guarded, leases: Path) -> None:
    guarded.commit("free", "docs/x.md")
    (leases / "me").write_text("bluelake")
    guarded.commit("own", "src/a.py")
    (leases / "me").write_text("GreenCastle")
    (leases / "1.md").write_bytes(reservation_to_bytes(replace(LEASE, expires=NOW)))
    guarded.commit("expired", "src/b.py")


def test_a_merge_of_the_holders_branch_passes_and_an_own_resolution_does_not(
    guarded, leases: Path
) -> None:
    (leases / "me").write_text("BlueLake")
    guarded.git("checkout", "-q", "-b", "theirs")
    guarded.commit("holder", "src/a.py", "docs/x.md")
    guarded.git("checkout", "-q", "main")
    (leases / "me").write_text("GreenCastle")
    guarded.commit("mine", "docs/x.md")
    assert guarded.try_git("merge", "theirs").returncode == 1
    guarded.write("docs/x.md", "both\n")
    guarded.git("commit", "-q", "-a", "-m", "merged")


def test_git_variables_are_cleared_before_the_store_is_asked(guarded, leases: Path) -> None:
    guarded.environment["GIT_AUTHOR_NAME"] = "Decoy"
    guarded.write("docs/x.md", "y\n")
    guarded.git("commit", "-q", "-a", "-m", "x")
    left = set((leases / "left").read_text().split())
    assert not left & {"GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_AUTHOR_NAME"}


def test_a_person_without_a_name_is_warned_and_passes(guarded, leases: Path) -> None:
    (leases / "me").unlink()
    guarded.write("src/a.py", "y\n")
    done = guarded.try_git("commit", "-a", "-m", "x")
    assert done.returncode == 0
    assert "BlueLake" in done.stderr
    assert "does not stop you" in done.stderr


def test_a_shared_lease_is_mentioned_and_passes(guarded, leases: Path) -> None:
    (leases / "1.md").write_bytes(reservation_to_bytes(replace(LEASE, exclusive=False)))
    guarded.write("src/a.py", "y\n")
    done = guarded.try_git("commit", "-a", "-m", "x")
    assert (done.returncode, "BlueLake" in done.stderr) == (0, True)


def test_its_own_failure_warns_and_lets_the_commit_pass(guarded, leases: Path) -> None:
    (leases / "1.md").write_text("no header\x1b[31m")
    guarded.write("src/a.py", "y\n")
    done = guarded.try_git("commit", "-a", "-m", "x")
    assert done.returncode == 0
    assert "checked nothing" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_push_of_commits_made_under_a_lease_is_stopped_older_ones_pass(
    guarded, tmp_path: Path
) -> None:
    guarded.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    guarded.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    guarded.environment["GIT_COMMITTER_DATE"] = (NOW - timedelta(hours=1)).isoformat()
    guarded.write("src/a.py", "old\n")
    guarded.git("commit", "-q", "-a", "--no-verify", "-m", "before the lease")
    guarded.git("reset", "-q", "--soft", "HEAD~1")
    guarded.git("commit", "-q", "--amend", "--no-verify", "-m", "all of it before the lease")
    guarded.git("push", "-q", "origin", "main")
    del guarded.environment["GIT_COMMITTER_DATE"]
    guarded.write("src/a.py", "new\n")
    guarded.git("commit", "-q", "-a", "--no-verify", "-m", "under the lease")
    done = guarded.try_git("push", "origin", "main")
    assert stopped(done)
    assert "git push --no-verify" in done.stderr
    guarded.git("push", "-q", "--no-verify", "origin", "main")


def test_files_of_any_name_are_guarded_and_shown_safely(guarded) -> None:
    guarded.write(b"src/\x1b[31m\xff\n.py")
    guarded.git("add", "-A")
    done = guarded.try_git("commit", "-m", "x")
    assert stopped(done)
    assert r"src/\x1b[31m\xff\n.py" in done.stderr


def test_in_a_linked_worktree_and_a_submodule_the_guard_works(
    guarded, make_code: Callable, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    guarded.git("worktree", "add", "-q", "-b", "other", str(linked))
    (linked / "src/a.py").write_text("y\n")
    assert stopped(guarded.try_git("commit", "-a", "-m", "x", cwd=linked))
    library = make_code("library")
    library.commit("first", "lib.c")
    allow = ("-c", "protocol.file.allow=always")
    guarded.git(*allow, "submodule", "--quiet", "add", str(library.top), "src/lib")
    assert stopped(guarded.try_git("commit", "-m", "x"))


def test_a_wrong_kind_is_an_error_and_no_reservations_ask_no_git(capsys) -> None:
    assert run(["post-commit"], {}, lambda call: Leases()) == MISUSED
    assert run([], {}, lambda call: Leases()) == MISUSED
    assert run(["pre-commit"], {"PATH": "/nowhere"}, lambda call: Leases()) == PASSED


def test_a_store_that_cannot_be_asked_lets_the_commit_pass(capsys) -> None:
    def fail(call: object) -> Leases:
        raise StoreUnavailable("index_unusable", "the index is gone")

    assert run(["pre-commit"], {}, fail) == PASSED
    assert "the index is gone" in capsys.readouterr().err


def test_the_trees_reservations_count_and_a_broken_one_hides_none(tmp_path: Path) -> None:
    assert read_reservations(tmp_path) == ([], [])
    folder = tmp_path / "reservations"
    folder.mkdir()
    (folder / ".keep").touch()
    (folder / "11111111-x.md").write_text("no header")
    (folder / "7c1e90ab-src.md").write_bytes(reservation_to_bytes(LEASE))
    found, problems = read_reservations(tmp_path)
    assert found == [LEASE]
    assert problems[0].startswith("reservations/11111111-x.md")


def test_what_could_not_be_read_is_said(capsys) -> None:
    leases = Leases(problems=("reservations/x.md:1: bad\x1b",))
    assert run(["pre-commit"], {}, lambda call: leases) == PASSED
    assert capsys.readouterr().err == "gitmail: not checked: reservations/x.md:1: bad\\x1b\n"


def test_urgent_letters_are_mentioned_on_the_way(capsys) -> None:
    leases = Leases(me="GreenCastle", urgent=("BlueLake", "BlueLake"))
    assert run(["pre-commit"], {}, lambda call: leases) == PASSED
    assert capsys.readouterr().err == "gitmail: 2 urgent letters from BlueLake: gitmail inbox\n"


def test_pre_commit_gives_the_pushed_range_in_variables() -> None:
    environment = {
        "PRE_COMMIT_FROM_REF": "a" * 40,
        "PRE_COMMIT_TO_REF": "b" * 40,
        "PRE_COMMIT_REMOTE_NAME": "origin",
    }
    call = call_from([AUTO], environment, Path("/"), lambda: b"unread")
    assert (call.kind, call.arguments) == ("pre-push", ("origin",))
    assert call.stdin == f"- {'b' * 40} - {'a' * 40}\n".encode()
    assert call_from([AUTO], {}, Path("/"), lambda: b"").kind == "pre-commit"


def test_of_a_wholly_new_branch_pre_commit_gives_only_the_name() -> None:
    environment = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/x", "PRE_COMMIT_REMOTE_NAME": "origin"}
    call = call_from([AUTO], environment, Path("/"), lambda: b"unread")
    assert (call.kind, call.stdin) == ("pre-push", b"- refs/heads/x - 0\n")


# -- the screen ---------------------------------------------------------------------------------


def many(leases: int, paths: int) -> list[Touched]:
    return [
        Touched(f"src/{number}.py".encode(), "src/**", replace(LEASE, id=f"{one:032x}"))
        for one in range(leases)
        for number in range(paths)
    ]


def test_the_screen_of_a_blocked_commit() -> None:
    found = [Touched(b"src/a.py", "src/**", LEASE)]
    assert blocked_screen("pre-commit", found, NOW) == (
        "gitmail: this commit is stopped. It touches files that others work on.\n"
        "\n"
        f"  BlueLake until {LEASE.expires:%Y-%m-%d %H:%M} UTC, 60 min from now\n"
        "    why: Reworking the login\n"
        "    src/a.py\n"
        "\n"
        "What you can do:\n"
        "  leave them out         git restore --staged -- src/a.py\n"
        "  ask                    gitmail send BlueLake -m TEXT\n"
        "  wait your turn         gitmail reserve --wait src/a.py\n"
        "  holder gone 30 min?    gitmail release --force 7c1e90ab\n"
        "  go ahead all the same  git commit --no-verify\n"
    )


@pytest.mark.parametrize(("leases", "paths"), [(1, 1), (1, 50_000), (30, 30)])
def test_everything_fits_on_one_screen(leases: int, paths: int) -> None:
    for text in (
        blocked_screen("pre-push", many(leases, paths), NOW),
        warning_screen(many(leases, paths), NOW, person=True),
    ):
        assert len(text.splitlines()) <= LINES
        assert max(map(len, text.splitlines())) <= COLUMNS


@pytest.mark.parametrize("evil", ["\x1b]0;x\x07", "a\nb", "\u202egnp", "\x9b31m", "\u2066"])
def test_nothing_that_somebody_wrote_drives_the_terminal(evil: str) -> None:
    lease = replace(LEASE, reason=evil)
    found = [Touched(f"src/{evil}".encode(), "src/**", lease)]
    for text in (
        blocked_screen("pre-commit", found, NOW),
        warning_screen(found, NOW),
        urgent_line(1, [evil]),
    ):
        assert evil not in text
        assert all(character.isprintable() for character in text.replace("\n", ""))


def test_a_name_that_needs_quoting_is_not_offered_for_typing() -> None:
    for path in (b"src/$(reboot).py", b"-rf", b"src/a b", b"\xff"):
        text = blocked_screen("pre-commit", [Touched(path, "**", LEASE)], NOW)
        assert "git restore --staged -- PATH" in text


def test_no_finding_says_nothing() -> None:
    assert warning_screen([], NOW) == ""
    assert urgent_line(0, []) == ""
    assert BLOCKED == 3
