"""Watching one folder: nothing missed when it goes and comes back, and polling where it must be."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from pathlib import Path

import pytest
from waking_world import World

from gitmail.mail.notifier import GLANCE_SECONDS, Notifier
from gitmail.mail.waiting import wait_for
from gitmail.store import folder_watch
from gitmail.store.folder_watch import FolderWatch, has_events

SECONDS = 20.0


def woken(event: threading.Event, seconds: float = SECONDS) -> bool:
    found = event.wait(seconds)
    event.clear()
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def test_a_file_that_is_linked_moved_or_removed_wakes(folder: Path) -> None:
    event = threading.Event()
    watch = FolderWatch(folder, event.set)
    watch.refresh()
    event.clear()
    try:
        other = folder.parent / "other"
        other.write_text("x")
        os.link(other, folder / "a.md")
        assert woken(event)
        os.rename(other, folder / "b.md")
        assert woken(event)
        (folder / "a.md").unlink()
        assert woken(event)
    finally:
        watch.close()


def test_temporary_files_and_reading_wake_nobody(folder: Path) -> None:
    (folder / "a.md").write_text("x")
    event = threading.Event()
    watch = FolderWatch(folder, event.set)
    watch.refresh()
    event.clear()
    try:
        for name in (".a.md.swp", "a.md.tmp", "#a.md", "~a.md", ".b.md"):
            (folder / name).write_text("x")
        for _ in range(5):
            (folder / "a.md").read_text()
            os.listdir(folder)
        assert not woken(event, 0.5)
    finally:
        watch.close()


def test_a_folder_that_is_removed_and_made_again_is_watched_again(folder: Path) -> None:
    event = threading.Event()
    watch = FolderWatch(folder, event.set)
    watch.refresh()
    try:
        for _ in range(3):
            shutil.rmtree(folder)
            watch.refresh()
            folder.mkdir()
            event.clear()
            watch.refresh()
            assert woken(event, 1)  # what came before the watch stood
            (folder / "a.md").write_text("x")
            assert woken(event)
    finally:
        watch.close()


def test_a_folder_that_is_not_there_yet_is_no_trouble(tmp_path: Path) -> None:
    watch = FolderWatch(tmp_path / "later", lambda: None)
    watch.refresh()
    assert not watch.watching
    assert watch.trouble is None
    (tmp_path / "later").mkdir()
    watch.refresh()
    assert watch.watching
    watch.close()


def test_no_inotify_watches_left_means_looking_instead_said_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(self: FolderWatch) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr(FolderWatch, "_observe", exhausted)
    caller = world.caller("Blue")
    with Notifier(world.store, "Blue") as notifier:
        wait_for(world.store, caller, 0.3, key="s", notifier=notifier)
        [notice] = world.store.take_notices()
        assert notice.code == "polling"
        assert "inotify watch limit reached" in notice.message
        timer = threading.Timer(0.3, lambda: world.letter("Green", "Blue"))
        timer.start()
        assert wait_for(world.store, caller, SECONDS, key="s", notifier=notifier).woke
        timer.join()
        assert world.store.take_notices() == []


def test_polling_finds_a_letter_within_a_few_seconds(world: World) -> None:
    caller = world.caller("Blue")
    with Notifier(world.store, "Blue", polling=True) as notifier:
        threading.Timer(0.3, lambda: world.letter("Green", "Blue")).start()
        started = time.monotonic()
        assert wait_for(world.store, caller, SECONDS, key="s", notifier=notifier).woke
        assert time.monotonic() - started < 10 * GLANCE_SECONDS


@pytest.mark.parametrize(
    ("folder", "mounts", "kernel", "expected"),
    [
        ("/home/pat/shop", "/dev/sda1 / ext4 rw 0 0\n", "6.1.0-amd64\n", True),
        ("/net/shop", "/dev/sda1 / ext4 rw 0 0\nhost:/x /net nfs4 rw 0 0\n", "6.1.0\n", False),
        ("/mnt/c/shop", "/dev/sda1 / ext4 rw 0 0\nC: /mnt/c 9p rw 0 0\n", "6.1.0\n", False),
        ("/mnt/c/shop", "/dev/sda1 / ext4 rw 0 0\n", "5.15.90.1-microsoft-standard-WSL2", False),
        ("/home/pat/shop", "/dev/sda1 / ext4 rw 0 0\n", "5.15.90.1-microsoft-standard-WSL2", True),
        ("/mnt/disk/shop", "/dev/sda1 / ext4 rw 0 0\n", "5.15.90.1-microsoft-standard-WSL2", True),
    ],
)
def test_network_and_windows_folders_are_known_to_give_no_events(
    tmp_path: Path, folder: str, mounts: str, kernel: str, expected: bool
) -> None:
    (tmp_path / "mounts").write_text(mounts)
    (tmp_path / "kernel").write_text(kernel)
    found = has_events(Path(folder), str(tmp_path / "mounts"), str(tmp_path / "kernel"))
    assert found is expected


def test_the_watch_library_is_loaded_by_the_first_watch_only() -> None:
    assert (
        "watchdog"
        not in Path(folder_watch.__file__)
        .read_text()
        .split("def _observe")[0]
        .split("TYPE_CHECKING:\n")[0]
    )


def test_an_inbox_that_is_removed_and_made_again_loses_no_letter(world: World) -> None:
    caller = world.caller("Blue")
    inbox = world.store.path / "mail" / "Blue" / "inbox"
    with Notifier(world.store, "Blue") as notifier:
        assert not wait_for(world.store, caller, 0.2, key="s", notifier=notifier).woke
        shutil.rmtree(inbox)
        world.letter("Green", "Blue", "One")
        assert wait_for(world.store, caller, SECONDS, key="s", notifier=notifier).woke
        world.letter("Green", "Blue", "Two")
        assert wait_for(world.store, caller, SECONDS, key="s", notifier=notifier).woke


def test_the_first_letter_of_an_agent_that_was_just_registered_is_noticed(world: World) -> None:
    from gitmail.board.caller import Caller
    from gitmail.values.ids import new_id

    newcomer = Caller("Newcomer", new_id())
    threading.Timer(0.5, lambda: world.letter("Green", "Newcomer")).start()
    assert wait_for(world.store, newcomer, SECONDS, key="s").woke
