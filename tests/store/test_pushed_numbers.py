"""What a push may not bring: numbers used before, texts over their limit."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, git, main_of, make_store, opened, post

from gitmail.format.memories import memory_to_bytes
from gitmail.mail.send import TEXT_LIMIT
from gitmail.store.checks import check_range
from gitmail.values.memory import Memory
from gitmail.values.paths import memory_path

NOTE = Memory(1, "ab" * 16, "Staging box", "It is haze-02.", "Pat Person", datetime.now(UTC))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a store, to whose main two notes are pushed and one is deleted again."""
    path = make_store(tmp_path / "store")
    git(tmp_path, "clone", "-q", str(path), "clone")
    place = tmp_path / "clone"
    write(place, NOTE)
    write(place, replace(NOTE, number=2, uid="cd" * 16))
    push(place)
    (place / memory_path(1, NOTE.title)).unlink()
    push(place)
    return place


def write(place: Path, note: Memory) -> None:
    file = place / memory_path(note.number, note.title, note.superseded_at is not None)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(memory_to_bytes(note))


def push(place: Path) -> str:
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "by hand")
    return git(place, "push", "origin", "HEAD:main", check=False)


def test_a_number_that_is_or_was_anothers_is_refused_a_fresh_one_passes(clone: Path) -> None:
    main = main_of(clone.parent / "store")
    for note, reason in (
        (replace(NOTE, title="Another"), "was used before"),
        (replace(NOTE, number=2, uid="ef" * 16, title="Another"), "is that of"),
    ):
        write(clone, note)
        assert reason in push(clone)
        assert main_of(clone.parent / "store") == main
        git(clone, "reset", "-q", "--hard", "HEAD~1")
    write(clone, replace(NOTE, number=3))
    assert "rejected" not in push(clone)


def test_a_note_that_is_retitled_and_one_that_is_retired_keep_their_number(clone: Path) -> None:
    (clone / memory_path(2, NOTE.title)).unlink()
    write(clone, replace(NOTE, number=2, uid="cd" * 16, title="The box"))
    assert "rejected" not in push(clone)
    (clone / memory_path(2, "The box")).unlink()
    retired = replace(
        NOTE, number=2, uid="cd" * 16, title="The box", superseded_at=datetime.now(UTC)
    )
    write(clone, retired)
    assert "rejected" not in push(clone)


def test_a_revert_brings_a_deleted_note_back(clone: Path) -> None:
    git(clone, "revert", "--no-edit", "HEAD")
    assert "rejected" not in git(clone, "push", "origin", "HEAD:main", check=False)


def test_a_text_over_its_limit_is_refused_on_push_and_by_check_store(clone: Path) -> None:
    write(clone, replace(NOTE, number=3, text="x" * 65_537))
    assert "65536 are the most" in push(clone)
    git(clone, "reset", "-q", "--hard", "HEAD~1")
    path = clone.parent / "store"
    with opened(path) as store:
        before = store.main()
        post(store, BLUE, GREEN)
        assert check_range(store.git_dir, store.reader, before, store.main()) == []
    git(clone, "pull", "-q")
    (letter,) = (clone / "mail" / GREEN / "inbox").glob("*.md")
    data = letter.read_bytes().replace(b"Some words.", b"x" * (TEXT_LIMIT + 1))
    other = letter.name.replace("-hello", "-more")
    (clone / "mail" / BLUE / "inbox" / other).write_bytes(data)
    assert f"{TEXT_LIMIT} are the most" in push(clone)
