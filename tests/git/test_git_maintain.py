"""Packing never loses an object, never lies about success and leaves nothing running."""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest
import tiny_store

from gitmail.git import maintain, refs, repository
from gitmail.git.loose import LooseWriter, loose_path
from gitmail.git.objects import ObjectReader


def _fill(git_dir: Path, count: int, who: str = "A") -> None:
    for number in range(count):
        tiny_store.write(git_dir, {f"mail/{who}/inbox/{number}.md": b"%d" % number})


def test_packing_leaves_one_pack_and_no_loose_object(git_dir: Path) -> None:
    _fill(git_dir, 20)
    before = maintain.count_loose(git_dir, exact=True)
    done = maintain.pack_loose(git_dir, 30)
    assert (done.outcome, done.ok, done.loose_before) == ("packed", True, before)
    assert (done.loose_after, done.packs) == (0, 1)
    tiny_store.assert_sound(git_dir)
    again = maintain.pack_loose(git_dir, 30)
    assert (again.outcome, again.ok, again.packs) == ("nothing_to_do", True, 1)


def test_many_small_packs_are_joined(git_dir: Path) -> None:
    for number in range(18):
        tiny_store.write(git_dir, {f"{number}.md": b"%d" % number})
        maintain.pack_loose(git_dir, 30)
    assert maintain.count_packs(git_dir) < 10
    assert tiny_store.git(git_dir, "rev-list", "--count", "main") == "19"
    tiny_store.assert_sound(git_dir)


def test_what_nothing_reaches_yet_is_kept(git_dir: Path) -> None:
    main, commit = tiny_store.prepare(git_dir, {"a.md": b"about to be committed"}, "a")
    assert maintain.pack_loose(git_dir, 30).loose_after > 0
    assert os.path.exists(loose_path(git_dir, commit))
    tiny_store.advance(git_dir, main, commit)
    tiny_store.assert_sound(git_dir)


def test_packing_beside_writers_and_a_reader_loses_nothing(git_dir: Path) -> None:
    children = [tiny_store.start_child("storm", str(git_dir), f"A{i}", "30") for i in range(2)]
    with ObjectReader(git_dir) as reader:
        while any(child.poll() is None for child in children):
            assert maintain.pack_loose(git_dir, 5).outcome != "failed"
            main = refs.read_main(git_dir)
            assert main is not None
            assert reader.commit(main).sha == main
    assert [child.wait() for child in children] == [0, 0]
    assert tiny_store.git(git_dir, "rev-list", "--count", "main") == "61"
    maintain.pack_loose(git_dir, 30)
    tiny_store.assert_sound(git_dir)


def test_time_that_is_up_leaves_the_rest_for_the_next_run(
    git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintain, "_STEP", 10)
    _fill(git_dir, 10)
    first = maintain.pack_loose(git_dir, 0)
    assert (first.outcome, first.ok) == ("partly", False)
    assert 0 < first.loose_after < first.loose_before
    assert maintain.pack_loose(git_dir, 30).loose_after == 0
    tiny_store.assert_sound(git_dir)


def test_a_left_maintenance_lock_is_respected_and_reported(git_dir: Path) -> None:
    lock = git_dir / "objects" / "maintenance.lock"
    lock.touch()
    done = maintain.pack_loose(git_dir, 30)
    assert (done.outcome, done.ok) == ("locked", False)
    assert done.loose_after == done.loose_before > 0
    assert str(lock) in done.detail
    assert lock.exists()


def test_what_a_killed_run_left_is_removed(git_dir: Path) -> None:
    left = git_dir / "objects" / "pack" / "tmp_pack_abc"
    foreign = git_dir / "objects" / "pack" / "tmp_pack_old"
    for file in (left, foreign):
        file.write_bytes(b"x")
    assert maintain.pack_loose(git_dir, 30).removed == (), "it may belong to a live git"
    os.utime(foreign, (0, 0))
    (repository.private_dir(git_dir) / "maintain.lock").write_text(f"{time.time() - 1:.0f}")
    _fill(git_dir, 1)
    done = maintain.pack_loose(git_dir, 30)
    assert (done.outcome, set(done.removed)) == ("packed", {str(left), str(foreign)})


def test_two_packers_do_not_meet(git_dir: Path) -> None:
    with (repository.private_dir(git_dir) / "maintain.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert maintain.pack_loose(git_dir, 30).outcome == "busy"
    assert maintain.pack_loose(git_dir, 30).outcome == "packed"


def test_damage_is_reported_as_failed(git_dir: Path) -> None:
    commit = tiny_store.write(git_dir, {"a.md": b"a"})
    with ObjectReader(git_dir) as reader:
        tree = reader.commit(commit).tree
    os.unlink(loose_path(git_dir, tree))
    done = maintain.pack_loose(git_dir, 30)
    assert (done.outcome, done.ok) == ("failed", False)
    assert tree in done.detail


def test_no_process_is_left_behind(git_dir: Path) -> None:
    maintain.pack_loose(git_dir, 30)
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "git"], check=False, capture_output=True
    )
    assert found.stdout == b""


def test_the_estimate_is_near_the_count(git_dir: Path) -> None:
    with LooseWriter(git_dir, fsync=False) as writer:
        for number in range(4000):
            writer.add("blob", b"%d" % number)
        writer.flush()
    exact = maintain.count_loose(git_dir, exact=True)
    assert exact > 4000
    assert abs(maintain.count_loose(git_dir) - exact) < exact / 4
