"""Things that are no files, under the names of letters and notes: none may hide the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, RED, assert_sound, opened, post

from gitmail.mail.inbox import waiting
from gitmail.store.edits import AGENTS, adopt_edits, tell_set_aside
from gitmail.store.store import Store
from gitmail.values.paths import agent_path, inbox_folder

NAME = "20261130T200102Z-3f9a1c22-auth-refactor.md"


def _folder(at: Path) -> None:
    at.mkdir()
    (at / "inside.txt").write_text("somebody's")


THINGS: dict[str, Callable[[Path], None]] = {
    "a folder": _folder,
    "a pipe": os.mkfifo,
    "a link to a file": lambda at: at.symlink_to("/etc/passwd"),
    "a link to nothing": lambda at: at.symlink_to("nothing"),
    "a link to itself": lambda at: at.symlink_to(at.name),
}


@pytest.mark.parametrize("make", THINGS.values(), ids=THINGS.keys())
def test_what_is_no_file_in_an_inbox_is_named_and_holds_up_nobody(
    store: Store, path: Path, make: Callable[[Path], None]
) -> None:
    sent = post(store, BLUE, GREEN)
    at = path / inbox_folder(GREEN) / NAME
    make(at)
    assert adopt_edits(store, [inbox_folder(GREEN)]).set_aside == [f"{inbox_folder(GREEN)}/{NAME}"]
    tell_set_aside(store)
    (notice,) = store.take_notices()
    assert NAME in notice.message
    assert not os.path.lexists(at)
    assert [row.letter.id for row in waiting(store, GREEN).waiting] == [sent.letter.id]
    assert_sound(path)


@pytest.mark.parametrize("make", THINGS.values(), ids=THINGS.keys())
def test_what_stands_in_a_files_place_makes_room_for_it(
    store: Store, path: Path, make: Callable[[Path], None]
) -> None:
    post(store, BLUE, GREEN)
    (row,) = waiting(store, GREEN).waiting
    for place in (row.path, agent_path(RED)):
        (path / place).unlink()
        make(path / place)
    adopt_edits(store, [AGENTS, inbox_folder(GREEN)])
    assert_sound(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(path: Path) -> None:
    at = path / inbox_folder(GREEN) / NAME
    at.write_bytes(b"secret")
    at.chmod(0)
    with opened(path) as store:
        assert adopt_edits(store, [inbox_folder(GREEN)]).set_aside
