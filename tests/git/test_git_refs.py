"""Main moves once, for one writer, and whatever a crash leaves is told apart from a live lock."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
import tiny_store

from gitmail.errors import StoreBusy, StoreUnavailable
from gitmail.git import refs, steps

STEPS = (
    "objects-written",
    "objects-synced",
    "objects-renamed",
    "lock-written",
    "lock-linked",
    "reflog-written",
    "ref-moved",
    "lock-cleaned",
)
MOVED = ("ref-moved", "lock-cleaned")


def _lock(git_dir: Path) -> Path:
    return git_dir / "refs" / "heads" / "main.lock"


def _reflog(git_dir: Path, name: str) -> list[str]:
    return (git_dir / "logs" / name).read_text(encoding="utf-8").splitlines()


def test_git_reads_the_ref_and_both_reflogs(git_dir: Path) -> None:
    commit = tiny_store.write(git_dir, {"a.md": b"a"})
    assert refs.read_main(git_dir) == tiny_store.git(git_dir, "rev-parse", "main") == commit
    assert tiny_store.git(git_dir, "reflog", "-1", "--format=%gs", "HEAD") == "mail: test"
    assert (
        tiny_store.git(git_dir, "reflog", "-1", "--format=%H %gn", "main") == f"{commit} BlueLake"
    )
    assert os.listdir(tiny_store.tmp_dir(git_dir)) == []


def test_a_packed_main_is_read_and_moved(git_dir: Path) -> None:
    before = refs.read_main(git_dir)
    tiny_store.git(git_dir, "pack-refs", "--all")
    assert not (git_dir / refs.MAIN).exists()
    assert refs.read_main(git_dir) == before
    commit = tiny_store.write(git_dir, {"a.md": b"a"})
    assert refs.read_main(git_dir) == tiny_store.git(git_dir, "rev-parse", "HEAD") == commit


def test_a_main_that_moved_is_reported_with_where_it_is(git_dir: Path) -> None:
    main, late = tiny_store.prepare(git_dir, {"late.md": b""}, "late")
    actual = tiny_store.write(git_dir, {"first.md": b""})
    log = _reflog(git_dir, "HEAD")
    with pytest.raises(refs.MainMoved) as caught:
        tiny_store.advance(git_dir, main, late)
    assert (caught.value.code, caught.value.actual) == ("main_moved", actual)
    assert isinstance(caught.value, StoreBusy)
    assert not _lock(git_dir).exists()
    assert _reflog(git_dir, "HEAD") == log


@pytest.mark.parametrize("extra", [[], ["--no-links"]], ids=["hard links", "no hard links"])
def test_eight_processes_lose_no_commit(git_dir: Path, extra: list[str]) -> None:
    children = [
        tiny_store.start_child("storm", str(git_dir), f"A{i}", "12", *extra) for i in range(8)
    ]
    assert [child.wait() for child in children] == [0] * 8
    assert tiny_store.git(git_dir, "rev-list", "--count", "main") == "97"
    assert len(tiny_store.git(git_dir, "ls-tree", "-r", "--name-only", "main").split()) == 97
    assert len(_reflog(git_dir, "HEAD")) == len(_reflog(git_dir, refs.MAIN)) == 97
    tiny_store.assert_sound(git_dir)


def test_plain_git_and_gitmail_exclude_each_other(git_dir: Path, tmp_path: Path) -> None:
    clone = ["git", "-C", str(tmp_path / "clone")]
    subprocess.run(["git", "clone", "-q", str(git_dir), clone[2]], check=True)
    attempts = pushed = 0
    with tiny_store.start_child("storm", str(git_dir), "A", "20") as child:
        while child.poll() is None or pushed == 0:
            attempts += 1
            message = f"by hand {attempts}"
            subprocess.run([*clone, "pull", "-q", "--rebase"], check=True)
            subprocess.run([*clone, "commit", "-q", "--allow-empty", "-m", message], check=True)
            push = subprocess.run([*clone, "push", "-q"], check=False, capture_output=True)
            pushed += push.returncode == 0
    assert child.returncode == 0
    names = tiny_store.git(git_dir, "ls-tree", "-r", "--name-only", "main").split()
    assert sum(name.startswith("mail/A/") for name in names) == 20
    assert int(tiny_store.git(git_dir, "rev-list", "--count", "main")) >= 21 + pushed
    tiny_store.assert_sound(git_dir)


def test_a_foreign_lock_is_waited_for(git_dir: Path) -> None:
    main, commit = tiny_store.prepare(git_dir, {"a.md": b"a"}, "a")
    _lock(git_dir).touch()
    timer = threading.Timer(0.3, _lock(git_dir).unlink)
    timer.start()
    tiny_store.advance(git_dir, main, commit)
    timer.join()
    assert refs.read_main(git_dir) == commit


def test_an_interrupted_wait_or_move_leaves_no_lock(
    git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, commit = tiny_store.prepare(git_dir, {"a.md": b"a"}, "a")
    log = _reflog(git_dir, "HEAD")
    for step in ("lock-linked", "reflog-written"):

        def interrupt(name: str, at: str = step) -> None:
            if name == at:
                raise KeyboardInterrupt

        monkeypatch.setattr(steps, "reached", interrupt)
        with pytest.raises(KeyboardInterrupt):
            tiny_store.advance(git_dir, main, commit)
        assert not _lock(git_dir).exists()
        assert os.listdir(tiny_store.tmp_dir(git_dir)) == []
        assert _reflog(git_dir, "HEAD") == log
    monkeypatch.undo()
    tiny_store.advance(git_dir, main, commit)
    tiny_store.assert_sound(git_dir)


@pytest.mark.parametrize("content", [b"", b"1" * 40 + b"\n"])
def test_a_foreign_lock_is_named_and_never_broken(git_dir: Path, content: bytes) -> None:
    main, commit = tiny_store.prepare(git_dir, {"a.md": b"a"}, "a")
    _lock(git_dir).write_bytes(content)
    os.utime(_lock(git_dir), (0, 0))
    assert refs.remove_dead_locks(git_dir, tiny_store.tmp_dir(git_dir)) == []
    with pytest.raises(StoreBusy) as caught:
        tiny_store.advance(git_dir, main, commit, wait=0.1)
    assert caught.value.code == "ref_locked"
    assert caught.value.facts["path"] == str(_lock(git_dir))
    assert caught.value.facts["age_seconds"] > 1000
    assert _lock(git_dir).read_bytes() == content
    assert os.listdir(tiny_store.tmp_dir(git_dir)) == []
    assert refs.read_main(git_dir) == main


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_step_leaves_all_or_nothing(git_dir: Path, step: str, links: bool) -> None:
    before = refs.read_main(git_dir)
    extra = [] if links else ["--no-links"]
    done = tiny_store.run_child("commit", str(git_dir), "lost", "--kill-at", step, *extra)
    assert done.returncode == -signal.SIGKILL

    refs.remove_dead_locks(git_dir, tiny_store.tmp_dir(git_dir))

    after = refs.read_main(git_dir)
    assert (after != before) is (step in MOVED)
    assert not _lock(git_dir).exists()
    assert os.listdir(tiny_store.tmp_dir(git_dir)) == []
    for log in ("HEAD", refs.MAIN):
        assert _reflog(git_dir, log)[-1].split(" ")[1] == after
    tiny_store.write(git_dir, {"next.md": b"next"})
    tiny_store.assert_sound(git_dir)


def test_a_dead_lock_is_known_in_a_copied_store_too(git_dir: Path, tmp_path: Path) -> None:
    tiny_store.run_child("commit", str(git_dir), "lost", "--kill-at", "lock-linked")
    copy = tmp_path / "copy"
    shutil.copytree(git_dir.parent, copy)
    assert (copy / ".git" / refs.MAIN).with_suffix(".lock").exists()
    refs.remove_dead_locks(copy / ".git", tiny_store.tmp_dir(copy / ".git"))
    tiny_store.write(copy / ".git", {"next.md": b"next"})
    tiny_store.assert_sound(copy / ".git")


def test_a_lock_cut_off_before_it_was_filled_is_ours_only_with_an_intent(git_dir: Path) -> None:
    tmp = tiny_store.tmp_dir(git_dir)
    (tmp / "intent-1-ab").write_bytes(b"1" * 40 + b"\n")
    _lock(git_dir).touch()
    refs.remove_dead_locks(git_dir, tmp)
    assert _lock(git_dir).exists(), "it is young: a git may be about to fill it"
    (tmp / "intent-1-ab").write_bytes(b"1" * 40 + b"\n")
    os.utime(_lock(git_dir), (time.time() - 60, time.time() - 60))
    refs.remove_dead_locks(git_dir, tmp)
    assert not _lock(git_dir).exists()


@pytest.mark.parametrize(
    ("file", "content", "code"),
    [
        ("HEAD", "ref: refs/heads/other\n", "wrong_head"),
        ("HEAD", "1" * 40 + "\n", "wrong_head"),
        (refs.MAIN, "", "damaged_ref"),
        (refs.MAIN, "ref: refs/heads/other\n", "damaged_ref"),
    ],
)
def test_a_head_or_main_that_is_not_ours_is_refused(
    git_dir: Path, file: str, content: str, code: str
) -> None:
    (git_dir / file).write_text(content, encoding="ascii")
    with pytest.raises(StoreUnavailable) as caught:
        refs.read_main(git_dir)
    assert caught.value.code == code


def test_a_torn_reflog_line_stays_alone(git_dir: Path) -> None:
    log = git_dir / "logs" / "HEAD"
    log.write_bytes(log.read_bytes() + b"1234 torn")
    commit = tiny_store.write(git_dir, {"a.md": b"a"})
    assert _reflog(git_dir, "HEAD")[-1].split(" ")[1] == commit
    assert tiny_store.git(git_dir, "rev-parse", "HEAD@{0}") == commit
