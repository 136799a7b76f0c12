"""What an answer names can be found from where it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, opened, post

from gitmail.errors import NotFound
from gitmail.mail.inbox import waiting
from gitmail.store.edits import NAMED_AT_ONCE, adopt_edits, tell_set_aside
from gitmail.store.store import Store
from gitmail.values.paths import inbox_folder


def test_a_file_set_aside_is_named_so_that_it_is_found_from_any_folder(
    store: Store, path: Path
) -> None:
    dropped = path / inbox_folder(GREEN) / "letter.md"
    dropped.write_bytes(b"no header")
    os.utime(dropped, (1, 1))
    adopt_edits(store, [inbox_folder(GREEN)])
    tell_set_aside(store)
    (notice,) = store.take_notices()
    kept = Path(notice.message.rpartition(" ")[2])
    assert kept.is_absolute()
    assert kept.read_bytes() == b"no header"


def test_hundreds_of_broken_files_do_not_flood_an_answer(store: Store, path: Path) -> None:
    sent = post(store, BLUE, GREEN)
    for number in range(200):
        dropped = path / inbox_folder(GREEN) / f"junk-{number}.md"
        dropped.write_bytes(b"no header")
        os.utime(dropped, (1, 1))
    assert len(adopt_edits(store, [inbox_folder(GREEN)]).set_aside) == 200
    tell_set_aside(store)
    said = store.take_notices()
    assert len(said) == NAMED_AT_ONCE + 1
    assert said[-1].message.startswith(f"{200 - NAMED_AT_ONCE} more were set aside")
    tell_set_aside(store)
    assert store.take_notices() == [], "each is told once"
    assert [row.letter.id for row in waiting(store, GREEN).waiting] == [sent.letter.id]


def test_a_missing_settings_file_is_named_in_words(path: Path) -> None:
    (path / "gitmail.toml").unlink()
    with opened(path) as store:
        post(store, BLUE, GREEN)
        said = [notice.message for notice in store.take_notices()]
    assert "gitmail.toml is missing; the last committed gitmail.toml is in force" in said


def test_an_unknown_recipient_is_answered_in_words_of_the_shell_too(store: Store) -> None:
    with pytest.raises(NotFound) as unknown:
        post(store, BLUE, "../../x")
    assert "`gitmail agents`" in unknown.value.hint
