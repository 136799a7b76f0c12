"""People edit notes in an editor, also while agents replace them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from note_world import ME, join, keep, live, refused, retired
from post_office import assert_sound, git

from gitmail.memory.consolidating import consolidate
from gitmail.memory.forgetting import Selection, forget
from gitmail.memory.history import get_note
from gitmail.store.edits import adopt_edits
from gitmail.store.store import Store

FOLDERS = ("memories/00xx", "memories/superseded/00xx")


def file_of(path: Path, store: Store, number: int) -> Path:
    return path / get_note(store, number).row.path


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def long_ago(file: Path) -> None:
    os.utime(file, (1_000_000_000, 1_000_000_000))


def test_an_edit_is_the_persons_commit_and_title_and_file_name_stay(
    path: Path, store: Store
) -> None:
    keep(store, "The box is haze-02.")
    file = file_of(path, store, 1)
    edit(file, "---\n\nThe box is haze-02.", "mood: calm  # mine\n---\n\nThe box is haze-03.")
    assert adopt_edits(store, FOLDERS).committed == [get_note(store, 1).row.path]
    memory = get_note(store, 1).row.memory
    assert (memory.text, memory.title) == ("The box is haze-03.", "The box is haze-02.")
    assert get_note(store, 1).events[-1].what == "edited"
    assert git(path, "log", "-1", "--format=%an|%s", "main") == (
        "Pat Person|edit: PatPerson changed memories/00xx/0001-the-box-is-haze-02.md"
    )
    done = join(store, "Gone.", [1])
    assert [one.text for one in done.superseded] == ["The box is haze-03."]
    assert "mood: calm  # mine\n" in file_of(path, store, 1).read_text(encoding="utf-8")
    store.close()
    assert_sound(path)


def test_after_an_edit_the_old_text_is_not_found_and_the_id_says_what_was_replaced(
    path: Path, store: Store
) -> None:
    keep(store, "The box is haze-02.")
    edit(file_of(path, store, 1), "is haze-02.\n", "is haze-03.\n")
    with pytest.raises(Exception, match="no live note"):
        consolidate(store, ME, "New.", replaces=["The box is haze-02."])
    assert live(store) == {1: "The box is haze-03."}
    done = consolidate(store, ME, "New.", entry_ids=[1])
    assert [one.text for one in done.superseded] == ["The box is haze-03."]


def test_getting_a_note_shows_what_is_on_disk(path: Path, store: Store) -> None:
    keep(store, "Old words.")
    edit(file_of(path, store, 1), "Old words.\n", "New words.\n")
    assert get_note(store, 1).row.memory.text == "New words."


@pytest.mark.parametrize(
    ("old", "new"),
    [("number: 1", "number: 7"), ("author: ", "author: x\nauthor: "), ("uid: ", "uid: a")],
)
def test_a_broken_note_is_set_aside_and_named_and_the_last_good_one_counts(
    path: Path, store: Store, old: str, new: str
) -> None:
    keep(store, "Good words.")
    file = file_of(path, store, 1)
    edit(file, old, new)
    saved = file.read_bytes()
    long_ago(file)
    assert get_note(store, 1).row.memory.text == "Good words."
    (notice,) = [one for one in store.take_notices() if one.code == "set_aside"]
    assert notice.facts["file"] == "memories/00xx/0001-good-words.md"
    assert (path / str(notice.facts["kept_as"])).read_bytes() == saved
    assert b"Good words." in file.read_bytes()


def test_a_deleted_note_comes_back_and_forgetting_is_the_way_to_remove_it(
    path: Path, store: Store
) -> None:
    keep(store, "One.")
    file = file_of(path, store, 1)
    file.unlink()
    assert get_note(store, 1).row.memory.text == "One."
    assert file.exists()
    forget(store, ME, Selection(entry_ids=[1]))
    assert not file.exists()


def test_a_late_save_of_a_note_that_was_replaced_meanwhile_is_set_aside_and_named(
    path: Path, store: Store
) -> None:
    keep(store, "One.", "Two.")
    file = file_of(path, store, 1)
    opened = file.read_text(encoding="utf-8")
    join(store, "Both.", [1])
    file.write_text(opened.replace("One.\n", "One, says Pat.\n"), encoding="utf-8")
    long_ago(file)
    edits = adopt_edits(store, FOLDERS)
    assert edits.set_aside == ["memories/00xx/0001-one.md"]
    assert live(store) == {2: "Two.", 3: "Both."}
    assert retired(store) == {1: "One."}
    kept = list((path / ".git/gitmail/aside").iterdir())
    assert any(b"One, says Pat." in one.read_bytes() for one in kept)


def test_an_edit_of_a_retired_note_is_a_new_version_of_it(path: Path, store: Store) -> None:
    keep(store, "One.")
    join(store, "Two.", [1])
    edit(file_of(path, store, 1), "One.\n", "One, once.\n")
    adopt_edits(store, FOLDERS)
    assert retired(store) == {1: "One, once."}
    assert live(store) == {2: "Two."}


def test_a_note_somebody_adds_by_hand_needs_a_number_of_its_own(path: Path, store: Store) -> None:
    keep(store, "One.")
    text = file_of(path, store, 1).read_text(encoding="utf-8")
    copy = path / "memories/00xx/0001-copy.md"
    copy.write_text(text, encoding="utf-8")
    long_ago(copy)
    own = path / "memories/00xx/0002-own.md"
    own.write_text(
        text.replace("number: 1", "number: 2").replace("One.\n", "Two.\n"), encoding="utf-8"
    )
    edits = adopt_edits(store, FOLDERS)
    assert edits.set_aside == ["memories/00xx/0001-copy.md"]
    assert edits.committed == ["memories/00xx/0002-own.md"]
    assert live(store) == {1: "One.", 2: "Two."}
    assert keep(store, "Three.") == [3]


def test_a_refusal_after_an_edit_has_overwritten_nothing(path: Path, store: Store) -> None:
    keep(store, "One.", "Two.")
    edit(file_of(path, store, 1), "One.\n", "One, says Pat.\n")
    adopt_edits(store, FOLDERS)
    refused(
        store, "target_not_found", lambda: consolidate(store, ME, "x", replaces=["One.", "Two."])
    )
    assert live(store) == {1: "One, says Pat.", 2: "Two."}
