"""What people do to the files by hand: adopted, restored, or set aside and named once."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from post_office import (
    BLUE,
    GREEN,
    PAT,
    RED,
    Forge,
    assert_sound,
    caller,
    files_on_disk,
    opened,
    post,
)
from storming import lost_saves

from gitmail.board.agents import register
from gitmail.errors import StoreUnavailable
from gitmail.format.letters import letter_to_bytes
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.inbox import show_letter, waiting
from gitmail.store.doctor import examine
from gitmail.store.edits import adopt_edits, tell_set_aside
from gitmail.store.store import Store, system_clock
from gitmail.values.ids import new_id
from gitmail.values.letter import Letter
from gitmail.values.paths import agent_path, inbox_folder, inbox_path, letter_file_name

NOTE = agent_path(RED)


def note_of(store: Store) -> Path:
    return Path(store.tree.full(NOTE))


def committed(store: Store, path: str = NOTE) -> bytes:
    return store.read(lambda view: view.required(path))


def old(file: Path) -> None:
    """Make a file look as if it was saved a while ago."""
    before = time.time() - 60
    os.utime(file, (before, before))


def kept(store: Store) -> list[Path]:
    return [file for file in store.private.aside.iterdir() if file.suffix == ".md"]


def a_letter(**changes: object) -> Letter:
    values = {"id": new_id(), "sender": BLUE, "to": (GREEN,), "subject": "By hand"}
    values |= {"date": system_clock(), "text": "Dropped."}
    return Letter(**(values | changes))  # type: ignore[arg-type]


def drop(store: Store, letter: Letter, owner: str = GREEN, name: str | None = None) -> Path:
    file = Path(store.tree.full(inbox_path(owner, name or letter_file_name(letter))))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(letter_to_bytes(letter))
    old(file)
    return file


# -- notes -------------------------------------------------------------------------------------


def test_an_edited_note_is_committed_as_the_persons(store: Store, path: Path) -> None:
    note = note_of(store)
    note.write_bytes(note.read_bytes() + b"# A comment of mine\n")
    inode = note.stat().st_ino
    assert adopt_edits(store).committed == [NOTE]
    assert committed(store).endswith(b"# A comment of mine\n")
    assert store.reader.commit(store.main()).author == PAT
    assert note.stat().st_ino == inode, "an open editor would say that the file changed"
    assert not adopt_edits(store)
    assert_sound(path)


def test_what_was_looked_at_is_not_read_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (BLUE, GREEN, RED):
        old(Path(store.tree.full(agent_path(name))))
    adopt_edits(store)
    read: list[str] = []
    real = store.tree.read
    monkeypatch.setattr(store.tree, "read", lambda path: read.append(path) or real(path))
    assert not adopt_edits(store)
    assert read == []
    note_of(store).write_bytes(note_of(store).read_bytes() + b"More.\n")
    assert adopt_edits(store).committed == [NOTE]


def test_a_person_and_an_agent_change_the_same_note(store: Store, path: Path) -> None:
    """The person saves what was opened before the agent changed its task: both stay."""
    before = note_of(store).read_bytes()
    register(store, RED, task="Writing tests")
    note_of(store).write_bytes(before + b"A line by hand.\n")
    adopt_edits(store)
    assert b"A line by hand.\n" in committed(store)
    register(store, RED, model="m1")
    note = note_of(store)
    note.write_bytes(note.read_bytes() + b"Another.\n")
    register(store, RED, task="Still writing tests")  # while the edit is not committed yet
    adopt_edits(store)
    text = committed(store)
    assert b"Another.\n" in text
    assert b"Still writing tests" in text
    assert_sound(path)


def test_a_save_into_the_replaced_file_comes_back(store: Store, path: Path) -> None:
    """An editor that has the old inode open saves into it after gitmail replaced it."""
    with note_of(store).open("ab") as editor:
        register(store, RED, task="Replaced under the editor")
        editor.write(b"Saved late.\n")
    adopt_edits(store)
    assert b"Saved late.\n" in committed(store)
    assert b"Replaced under the editor" in committed(store)
    assert b"Saved late.\n" in note_of(store).read_bytes()
    assert_sound(path)


def test_a_broken_note_is_set_aside_named_once_and_the_last_good_one_stays(
    store: Store, path: Path
) -> None:
    good = committed(store)
    note_of(store).write_bytes(b"---\nname: [\n---\n")
    old(note_of(store))
    assert adopt_edits(store).set_aside == [NOTE]
    assert note_of(store).read_bytes() == good == committed(store)
    (aside,) = kept(store)
    assert aside.read_bytes() == b"---\nname: [\n---\n"
    tell_set_aside(store)
    (notice,) = store.take_notices()
    assert notice.code == "set_aside"
    assert NOTE in notice.message
    assert (path / str(notice.facts["kept_as"])).read_bytes() == aside.read_bytes()
    tell_set_aside(store)
    assert store.take_notices() == []
    assert_sound(path)


def test_a_note_in_the_middle_of_a_save_is_left_for_the_next_look(store: Store) -> None:
    whole = note_of(store).read_bytes()
    note_of(store).write_bytes(whole[:20])
    assert not adopt_edits(store)
    note_of(store).write_bytes(whole + b"Now whole.\n")
    assert adopt_edits(store).committed == [NOTE]


def test_the_files_of_an_editor_are_no_edits(store: Store) -> None:
    agents = note_of(store).parent
    for name in (".RedHill.md.swp", "RedHill.md~", "#RedHill.md#", "4913", ".goutputstream-X"):
        (agents / name).write_bytes(b"mine")
    before = store.main()
    assert not adopt_edits(store)
    assert store.main() == before


def test_files_that_are_kept_aside_cost_no_lock(store: Store, path: Path, forge: Forge) -> None:
    note_of(store).write_bytes(b"no header")
    old(note_of(store))
    adopt_edits(store)
    register(store, RED, task="Displaces the old file")
    with store.lock.hold():  # an adopt that wants the lock would be a write inside a write
        assert not adopt_edits(store)


# -- letters -----------------------------------------------------------------------------------


def test_an_edited_letter_is_restored_and_the_edit_kept(store: Store, path: Path) -> None:
    sent = post(store, BLUE, GREEN)
    (row,) = waiting(store, GREEN).waiting
    file = path / row.path
    data = file.read_bytes()
    file.write_bytes(data.replace(b"Some words.", b"Other words."))
    assert show_letter(store, sent.letter.id).text == "Some words.", "the tree is not believed"
    found = adopt_edits(store, [inbox_folder(GREEN)])
    assert found.set_aside == [row.path]
    assert file.read_bytes() == data
    (aside,) = kept(store)
    assert b"Other words." in aside.read_bytes()
    assert_sound(path)


def test_an_edited_letter_that_moves_to_the_archive_keeps_both(store: Store, path: Path) -> None:
    sent = post(store, BLUE, GREEN, ack_required=True)
    (row,) = waiting(store, GREEN).waiting
    (path / row.path).write_bytes(b"scribbled over")
    acknowledge(store, caller(GREEN), [sent.letter.id])
    assert [file.read_bytes() for file in kept(store)] == [b"scribbled over"]
    assert show_letter(store, sent.letter.id).text == "Some words."
    assert_sound(path)


def test_a_dropped_letter_is_delivered_unverified(store: Store, path: Path) -> None:
    letter = a_letter()
    drop(store, letter, name="from-a-script.md")
    assert adopt_edits(store, [inbox_folder(GREEN)]).committed
    opened_letter = show_letter(store, letter.id, GREEN)
    assert opened_letter.text == "Dropped."
    assert not opened_letter.verified
    assert [row.letter.id for row in waiting(store, GREEN).waiting] == [letter.id]
    assert not (path / inbox_path(GREEN, "from-a-script.md")).exists()
    assert not adopt_edits(store, [inbox_folder(GREEN)])
    assert_sound(path)


def test_a_letter_dropped_for_two_is_delivered_to_both(store: Store, path: Path) -> None:
    letter = a_letter(to=(GREEN, RED))
    for owner in (GREEN, RED):
        drop(store, letter, owner)
    for owner in (GREEN, RED):
        adopt_edits(store, [inbox_folder(owner)])
        assert [row.letter.id for row in waiting(store, owner).waiting] == [letter.id]
    assert kept(store) == []
    assert_sound(path)


@pytest.mark.parametrize(
    "spoil",
    ["no header", "known id", "other words under a known id", "future", "marks", "not in the tree"],
)
def test_a_dropped_file_that_cannot_be_delivered_is_set_aside_and_hides_no_other(
    store: Store, path: Path, spoil: str
) -> None:
    sent = post(store, BLUE, GREEN, ack_required=True)
    good = a_letter(subject="Good")
    drop(store, good)
    if spoil == "no header":
        file = drop(store, a_letter())
        file.write_bytes(b"just words\n")
    elif spoil == "known id":
        acknowledge(store, caller(GREEN), [sent.letter.id])
        file = drop(store, a_letter(id=sent.letter.id))
    elif spoil == "other words under a known id":
        file = drop(store, a_letter(id=sent.letter.id, subject="Forged"), RED)
    elif spoil == "future":
        file = drop(store, a_letter(date=system_clock().replace(year=2999)))
    elif spoil == "marks":
        file = drop(store, a_letter())
        file.write_bytes(
            file.read_bytes().replace(b"\n---\n", b"\nread_at: 2026-11-30T20:01:02Z\n---\n", 1)
        )
    else:
        file = Path(store.tree.full(f"mail/{GREEN}/inbox/notes.txt"))
        file.write_bytes(b"hello")
    old(file)
    data = file.read_bytes()
    owners = (RED, GREEN) if "known id" in spoil else (GREEN,)
    adopt_edits(store, [inbox_folder(owner) for owner in owners])
    assert not file.exists()
    assert data in [one.read_bytes() for one in store.private.aside.iterdir()]
    assert good.id in [row.letter.id for row in waiting(store, GREEN).waiting]
    tell_set_aside(store)
    assert [notice.code for notice in store.take_notices()] == ["set_aside"]
    assert_sound(path)


# -- the tree ----------------------------------------------------------------------------------


def test_deleted_files_and_folders_are_restored(store: Store, path: Path) -> None:
    post(store, BLUE, GREEN)
    before = files_on_disk(path)
    (row,) = waiting(store, GREEN).waiting
    (path / row.path).unlink()
    adopt_edits(store, [inbox_folder(GREEN)])
    assert files_on_disk(path) == before
    shutil.rmtree(path / "agents")
    adopt_edits(store)
    assert files_on_disk(path) == before
    shutil.rmtree(path / "mail")
    assert waiting(store, GREEN).waiting_count == 1, "answers do not need the tree"
    post(store, RED, GREEN, subject="Into the gap")
    adopt_edits(store, ["agents", *(inbox_folder(name) for name in (BLUE, GREEN, RED))])
    assert before.items() <= files_on_disk(path).items()
    assert_sound(path)


def test_nothing_is_written_or_removed_through_a_link_inside_the_store(
    store: Store, path: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    sent = post(store, BLUE, GREEN, ack_required=True)
    shutil.copytree(path / "mail" / GREEN / "inbox", outside)
    shutil.rmtree(path / "mail" / GREEN / "inbox")
    (path / "mail" / GREEN / "inbox").symlink_to(outside)
    before = sorted(os.listdir(outside))
    post(store, RED, GREEN, subject="Through the link?")
    (notice,) = store.take_notices()
    assert notice.code == "tree_behind"
    assert "symbolic link" in notice.message
    with pytest.raises(StoreUnavailable) as caught:
        acknowledge(store, caller(GREEN), [sent.letter.id])
    assert caught.value.code == "unsafe_link"
    assert sorted(os.listdir(outside)) == before
    assert waiting(store, GREEN).waiting_count == 2
    (path / "mail" / GREEN / "inbox").unlink()
    store.take_notices()
    assert examine(store, fix=True).healthy
    store.close()
    assert_sound(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to mount")
def test_a_mount_point_inside_the_store_is_refused(store: Store, path: Path) -> None:
    inbox = path / "mail" / GREEN / "inbox"
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(inbox)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot mount here")
    try:
        post(store, BLUE, GREEN)
        (notice,) = store.take_notices()
        assert "mount point" in notice.message
        assert os.listdir(inbox) == []
    finally:
        subprocess.run(["umount", str(inbox)], check=True)
    adopt_edits(store, [inbox_folder(GREEN)])
    post(store, BLUE, GREEN)
    store.take_notices()
    store.close()
    with opened(path) as again:
        again.follow()
    assert_sound(path)


# -- in the very moment of a write -------------------------------------------------------------


@pytest.mark.parametrize("style", ["in place", "rename over", "backup and anew"])
def test_simultaneous_saves_lose_none(path: Path, forge: Forge, style: str) -> None:
    assert lost_saves(path, forge, style, saves=170, changes=120) == []
