"""doctor names what is wrong with ten broken stores, and mends what an opener would."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from post_office import (
    BLUE,
    GREEN,
    RED,
    Forge,
    answers,
    assert_sound,
    git,
    main_of,
    opened,
    post,
)

from gitmail.store.doctor import Examination, examine
from gitmail.values.paths import agent_path

Break = Callable[[Path, Forge], None]


@dataclass(frozen=True)
class Broken:
    """One way to break a store: the finding, and whether `--fix` and any opener mend it."""

    how: Break
    code: str
    words: str
    fixed: bool = True
    opener: bool = True


def _letter(path: Path) -> Path:
    return next((path / "mail" / GREEN / "inbox").glob("2*.md"))


def _killed(step: str) -> Break:
    def how(path: Path, forge: Forge) -> None:
        assert forge.run("send", path, who=BLUE, to=[GREEN], kill_at=step).killed

    return how


def _main_back(path: Path, forge: Forge) -> None:
    git(path, "branch", "--force", "main", "main~1")


def _letter_missing(path: Path, forge: Forge) -> None:
    _letter(path).unlink()


def _tree_missing(path: Path, forge: Forge) -> None:
    shutil.rmtree(path / "mail")


def _letter_edited(path: Path, forge: Forge) -> None:
    _letter(path).write_bytes(b"scribble")


def _index_wrong(path: Path, forge: Forge) -> None:
    import sqlite3

    database = (path / ".git/gitmail/index.sqlite").resolve()
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE deliveries SET subject = 'Lies'")
    connection.close()


def _index_damaged(path: Path, forge: Forge) -> None:
    (path / ".git/gitmail/index.sqlite").resolve().write_bytes(b"no database")


def _settings(path: Path, forge: Forge) -> None:
    git(path, "config", "core.bare", "false")
    git(path, "config", "gc.auto", "100")


def _hook_gone(path: Path, forge: Forge) -> None:
    (path / ".git/hooks/pre-receive").chmod(0o644)


def _object_gone(path: Path, forge: Forge) -> None:
    sha = git(path, "rev-parse", f"main:{agent_path(RED)}")
    (path / ".git/objects" / sha[:2] / sha[2:]).unlink()


def _marker_gone(path: Path, forge: Forge) -> None:
    (path / ".git/gitmail/tree").unlink()
    _letter(path).unlink()


def _head_garbage(path: Path, forge: Forge) -> None:
    (path / ".git/HEAD").write_text("x\n", encoding="ascii")


def _main_renamed(path: Path, forge: Forge) -> None:
    git(path, "branch", "-m", "main", "trunk")


def _branch_and_index(path: Path, forge: Forge) -> None:
    git(path, "branch", "idea")
    (path / ".git/index").write_bytes(b"x")


BROKEN = {
    "writer killed with main locked": Broken(_killed("reflog-written"), "leftover", "left by"),
    "writer killed before the files": Broken(_killed("ref-moved"), "tree_behind", "lagged"),
    "writer killed before the index": Broken(_killed("tree-marked"), "", ""),
    "main set back": Broken(_main_back, "main_rewound", "moved by hand", opener=False),
    "letter missing": Broken(_letter_missing, "tree", "is missing on disk", opener=False),
    "mailboxes missing": Broken(_tree_missing, "tree", "is missing on disk", opener=False),
    "letter edited": Broken(_letter_edited, "tree", "differs on disk", opener=False),
    "index wrong": Broken(_index_wrong, "index", "differs from what git holds", opener=False),
    "index damaged": Broken(_index_damaged, "", ""),
    "settings changed": Broken(_settings, "settings", "core.bare", opener=False),
    "hook not executable": Broken(_hook_gone, "hooks", "pre-receive", opener=False),
    "HEAD garbage": Broken(_head_garbage, "wrong_head", "HEAD does not point", opener=False),
    "main renamed": Broken(_main_renamed, "wrong_head", "HEAD does not point", opener=False),
    "a branch and an index": Broken(_branch_and_index, "other_ref", "heads/idea", opener=False),
    "object gone": Broken(_object_gone, "fsck", "missing blob", fixed=False, opener=False),
    "tree's marker gone": Broken(_marker_gone, "tree_behind", "lagged"),
}


@pytest.fixture
def written(path: Path) -> Path:
    with opened(path) as store:
        post(store, BLUE, GREEN, subject="First")
        post(store, RED, GREEN, BLUE, subject="Second")
    return path


def codes(examination: Examination) -> set[str]:
    return {one.code for one in examination.findings if one.level in ("warning", "error")}


def test_a_sound_store_is_found_healthy(written: Path) -> None:
    with opened(written) as store:
        examination = examine(store)
    assert examination.healthy
    assert codes(examination) == set()


@pytest.mark.parametrize("name", BROKEN)
def test_doctor_names_it_and_fix_mends_what_can_be_mended(
    written: Path, forge: Forge, name: str
) -> None:
    case = BROKEN[name]
    case.how(written, forge)
    with opened(written) as store:
        found = examine(store)
        if case.code:
            assert case.code in codes(found), codes(found)
            assert any(case.words in one.message for one in found.findings)
        fixed = examine(store, fix=True)
        assert fixed.healthy == case.fixed, [one for one in fixed.findings if not one.fixed]
        if case.fixed:
            assert codes(examine(store)) == set()
    if name != "object gone":
        assert_sound(written)


@pytest.mark.parametrize("name", [name for name, case in BROKEN.items() if case.opener])
def test_any_opener_mends_the_same_by_itself(written: Path, forge: Forge, name: str) -> None:
    BROKEN[name].how(written, forge)
    with opened(written) as store:
        told = answers(store)
        assert store.take_notices() == []
    assert told[GREEN]["count"] in (2, 3)
    assert_sound(written)


def test_doctor_without_fix_changes_nothing_it_only_names(written: Path, forge: Forge) -> None:
    _letter_edited(written, forge)
    _main_back(written, forge)
    main, data = main_of(written), _letter(written).read_bytes()
    with opened(written) as store:
        assert not examine(store).healthy
    assert (main_of(written), _letter(written).read_bytes()) == (main, data)


def test_doctor_says_what_is_kept_aside(written: Path, forge: Forge) -> None:
    _letter_edited(written, forge)
    with opened(written) as store:
        examine(store, fix=True)
        findings = examine(store).findings
    kept = [one.message for one in findings if one.code == "aside"]
    assert len(kept) == 1
    assert "is kept for you to look at" in kept[0]


def test_a_store_without_main_is_said_to_be_one(written: Path) -> None:
    os.unlink(written / ".git/refs/heads/main")
    with opened(written) as store:
        found = examine(store)
    assert not found.healthy
    assert "main_missing" in codes(found)
