"""A main that somebody deleted: said in a sentence, and brought back by doctor."""

from __future__ import annotations

from pathlib import Path

import pytest
from post_office import BLUE, GREEN, assert_sound, git, main_of, opened, post

from gitmail.errors import StoreUnavailable
from gitmail.store.doctor import examine
from gitmail.store.store import Store


def _delete_main(path: Path) -> str:
    main = main_of(path)
    git(path, "update-ref", "-d", "refs/heads/main")
    return main


def test_a_deleted_main_is_named_and_found_again(store: Store, path: Path):
    post(store, BLUE, GREEN)
    main = _delete_main(path)
    with pytest.raises(StoreUnavailable, match="no main branch"):
        store.read(lambda view: view.main)
    store.take_notices()
    assert not examine(store).healthy
    assert examine(store, fix=True).healthy
    assert main_of(path) == main
    assert_sound(path)


def test_without_the_trees_marker_the_reflog_tells_where_main_was(store: Store, path: Path):
    post(store, BLUE, GREEN)
    main = _delete_main(path)
    store.private.tree_marker.unlink()
    examine(store, fix=True)
    assert main_of(path) == main
    store.take_notices()
    with opened(path) as again:
        post(again, GREEN, BLUE)
    assert_sound(path)
