"""A full disk, a read-only store: it works, or one clear sentence says why."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from post_office import (
    BLUE,
    GREEN,
    RED,
    Forge,
    answers,
    assert_sound,
    caller,
    files_on_disk,
    main_of,
    make_store,
    opened,
    post,
)

from gitmail.errors import StoreUnavailable
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.inbox import waiting


def run_mount(*args: str) -> None:
    done = subprocess.run(["mount", *args], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("cannot mount here")


@contextmanager
def unmounting(place: Path) -> Iterator[None]:
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    run_mount("-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", str(place))
    with unmounting(place):
        yield place


def fill(place: Path, leave: int) -> Path:
    """Use up the disk but for some bytes."""
    ballast = place / "ballast"
    free = shutil.disk_usage(place).free - leave
    ballast.write_bytes(b"x" * max(free, 0))
    return ballast


@pytest.mark.parametrize("leave", [0, 4096, 12288, 28672])
def test_a_full_disk_is_one_sentence_and_nothing_is_half_done(small_disk: Path, leave: int) -> None:
    path = make_store(small_disk / "store")
    with opened(path) as store:
        sent = post(store, BLUE, GREEN, subject="Before", ack_required=True)
        told = answers(store)
        ballast = fill(small_disk, leave)
        done = 0
        for number in range(30):
            main, refusal = store.main(), None
            try:
                post(store, RED, GREEN, subject=f"Full {number}")
            except StoreUnavailable as error:
                refusal = error
            assert (store.main() == main) == (refusal is not None)
            if refusal is not None:
                assert refusal.code == "disk_full"
                assert "full" in refusal.message
                break
            done += 1
            assert {notice.code for notice in store.take_notices()} <= {
                "tree_behind",
                "index_behind",
            }
        else:
            pytest.fail("the disk never was full")
        box = waiting(store, GREEN)
        assert box.waiting_count == 1 + done
        if done == 0:
            assert answers(store) == told
        with pytest.raises(StoreUnavailable) as caught:
            acknowledge(store, caller(GREEN), [sent.letter.id])
        assert caught.value.code == "disk_full"
        store.take_notices()
        ballast.unlink()
        acknowledge(store, caller(GREEN), [sent.letter.id])
        post(store, RED, GREEN, subject="After")
        assert waiting(store, GREEN).waiting_count == done + 1
    assert_sound(path)


def test_a_full_disk_and_no_index_still_reads(small_disk: Path) -> None:
    path = make_store(small_disk / "store")
    with opened(path) as store:
        post(store, BLUE, GREEN)
        told = answers(store)
    for file in (path / ".git/gitmail").glob("index*"):
        file.unlink()
    fill(small_disk, 0)
    with opened(path) as store:
        assert answers(store) == told
        assert [notice.code for notice in store.take_notices()] == ["read_only"]


@pytest.mark.parametrize("index", ["kept", "behind", "lost"])
def test_a_read_only_store_reads_says_so_and_refuses_writes(
    path: Path, forge: Forge, tmp_path: Path, index: str
) -> None:
    with opened(path) as store:
        post(store, BLUE, GREEN)
    if index == "behind":
        assert forge.run("send", path, who=BLUE, to=[RED], kill_at="tree-marked").killed
    if index == "lost":
        for file in (path / ".git/gitmail").glob("index*"):
            file.unlink()
    place = tmp_path / "mounted"
    place.mkdir()
    run_mount("--bind", str(path), str(place))
    with unmounting(place):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        before = (main_of(path), files_on_disk(path))
        with opened(place) as store:
            told = answers(store)
            assert told[GREEN]["count"] == 1
            assert told[RED]["count"] == (1 if index == "behind" else 0)
            notices = [notice.code for notice in store.take_notices()]
            assert notices in (["read_only"], [])
            if index != "kept":
                assert notices == ["read_only"]
            with pytest.raises(StoreUnavailable) as caught:
                post(store, BLUE, GREEN)
            assert caught.value.code == "read_only"
            assert str(place) in caught.value.message
        assert (main_of(path), files_on_disk(path)) == before
    assert_sound(path)


def test_a_reader_without_write_permission_sees_new_letters(path: Path, tmp_path: Path) -> None:
    """As a sandbox that may read the project but not write it: what others write shows up."""
    place = tmp_path / "mounted"
    place.mkdir()
    run_mount("--bind", str(path), str(place))
    with unmounting(place):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        with opened(place) as reader, opened(path) as writer:
            for number in range(4):
                post(writer, BLUE, GREEN)
                assert waiting(reader, GREEN).waiting_count == number + 1
    assert os.listdir(path / ".git/gitmail/tmp") == []
    assert_sound(path)
