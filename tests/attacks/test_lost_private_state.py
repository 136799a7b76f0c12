"""All of `.git/gitmail/` may be deleted: the next command, whichever it is, goes on."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, PAT, assert_sound, git, post

from gitmail.mail.inbox import waiting
from gitmail.store.create import create_store
from gitmail.store.location import find_project, open_store
from gitmail.store.store import Store, system_clock


def _lose(store: Store, path: Path) -> str:
    sent = post(store, BLUE, GREEN)
    store.close()
    shutil.rmtree(path / ".git" / "gitmail")
    return sent.letter.id


@pytest.fixture
def code(path: Path, tmp_path: Path) -> Path:
    """A code project that has the store at `path`."""
    git(tmp_path, "init", "-q", "code")
    git(tmp_path / "code", "config", "gitmail.store", str(path))
    return tmp_path / "code"


def test_a_store_without_private_state_opens_and_has_its_letters(
    store: Store, path: Path, code: Path
) -> None:
    lost = _lose(store, path)
    with open_store(find_project(code, None)) as again:
        more = post(again, BLUE, GREEN).letter.id
        assert [row.letter.id for row in waiting(again, GREEN).waiting] == [lost, more]
    assert_sound(path)


def test_init_takes_such_a_store_for_the_store_it_is(store: Store, path: Path, code: Path) -> None:
    lost = _lose(store, path)
    assert not create_store(path, "shop", PAT, [], sys.executable, system_clock)
    with open_store(find_project(code, None)) as again:
        assert [row.letter.id for row in waiting(again, GREEN).waiting] == [lost]
    assert_sound(path)
