"""A main that somebody forced by hand: noticed, answered as before, refused to writers, joined."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from post_office import (
    BLUE,
    GREEN,
    RED,
    answers,
    assert_sound,
    files_on_disk,
    git,
    main_of,
    opened,
    post,
)

from gitmail.errors import Refused, StoreUnavailable
from gitmail.store.doctor import examine
from gitmail.store.store import Store


def _back(path: Path) -> None:
    git(path, "branch", "--force", "main", "main~2")


def _soft_reset(path: Path) -> None:
    git(path, "reset", "--soft", "main~1")


def _sideways(path: Path) -> None:
    """A commit on an older one, which adds a letter of its own."""
    clone = path.parent / "sideways"
    git(path.parent, "clone", "--quiet", str(path), str(clone))
    git(clone, "reset", "--quiet", "--hard", "HEAD~2")
    note = clone / f"agents/{RED}.md"
    note.write_text(note.read_text() + "Sideways.\n", encoding="utf-8")
    git(clone, "commit", "--quiet", "--all", "-m", "sideways")
    git(path, "fetch", "--quiet", str(clone), "+HEAD:refs/heads/side")
    git(path, "branch", "--force", "main", "side")
    git(path, "branch", "-D", "side")


def _emptied(path: Path) -> None:
    """What `git commit` does when a work tree is named but nothing is in the index."""
    git(path, "--work-tree=.", "commit", "--quiet", "--allow-empty", "-m", "oops")


FORCED: dict[str, Callable[[Path], None]] = {
    "branch -f back": _back,
    "reset --soft": _soft_reset,
    "branch -f sideways": _sideways,
    "commit with a work tree": _emptied,
}


@pytest.fixture
def written(store: Store, path: Path) -> Path:
    for number in range(3):
        post(store, BLUE, GREEN, subject=f"Letter {number}", ack_required=True)
    return path


@pytest.mark.parametrize("index_lost", [False, True], ids=["index kept", "index lost"])
@pytest.mark.parametrize("name", FORCED)
def test_it_is_noticed_and_doctor_joins_without_losing_anything(
    written: Path, name: str, index_lost: bool
) -> None:
    with opened(written) as store:
        before = answers(store)
    old_main, files = main_of(written), files_on_disk(written)
    FORCED[name](written)
    forced = main_of(written)
    assert forced != old_main
    if index_lost:
        for file in (written / ".git/gitmail").glob("index*"):
            file.unlink()
    with opened(written) as store:
        assert answers(store) == before
        assert [notice.code for notice in store.take_notices()] == ["main_rewound"]
        with pytest.raises(Refused) as caught:
            post(store, BLUE, GREEN)
        assert caught.value.code == "main_rewound"
        assert "gitmail doctor --fix" in caught.value.hint
        assert main_of(written) == forced
        assert files_on_disk(written) == files
        found = {one.code for one in examine(store).findings if one.level == "error"}
        assert "main_rewound" in found
        fixed = examine(store, fix=True)
        assert fixed.healthy, [one for one in fixed.findings if one.level != "ok"]
        assert answers(store) == before
        post(store, BLUE, GREEN)
    for tip in (old_main, forced):
        git(written, "merge-base", "--is-ancestor", tip, "main")
    if name == "branch -f sideways":
        assert "Sideways." in (written / f"agents/{RED}.md").read_text()
    assert_sound(written)


def test_a_letter_dropped_by_a_hand_made_commit_is_restored_by_doctor(written: Path) -> None:
    """Plumbing can do what no hook sees: a commit on main that takes a letter away."""
    before = files_on_disk(written)
    env = {"GIT_INDEX_FILE": str(written.parent / "index"), "PATH": "/usr/bin:/bin"}
    who = {
        f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }

    def plumb(*args: str) -> str:
        done = subprocess.run(
            ["git", f"--git-dir={written}/.git", *args],
            env=env | who,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    plumb("read-tree", "main")
    letter = next(path for path in before if "/inbox/2" in path)
    plumb(f"--work-tree={written}", "update-index", "--force-remove", letter)
    commit = plumb("commit-tree", plumb("write-tree"), "-p", "main", "-m", "gone")
    plumb("update-ref", "refs/heads/main", commit)
    with opened(written) as store:
        assert store.read(lambda view: view.main) != commit
        (notice,) = store.take_notices()
        assert notice.code == "main_rewound"
        assert "may not be removed" in notice.message
        assert examine(store, fix=True).healthy
    assert files_on_disk(written) == before
    assert_sound(written)


def test_a_followed_tip_that_was_pruned_does_not_lock_everybody_out(written: Path) -> None:
    """Set back, reflogs expired, pruned: that is gone from git, and work goes on from main."""
    _back(written)
    git(written, "reflog", "expire", "--expire=now", "--all")
    git(written, "gc", "--quiet", "--prune=now")
    with opened(written) as store:
        assert store.read(lambda view: view.main) == main_of(written)
        post(store, BLUE, GREEN, subject="On from here")
        store.take_notices()
        assert examine(store, fix=True).findings
    with opened(written) as store:
        assert store.tree.marker() == store.main()


def test_a_deleted_main_is_put_back_by_doctor(written: Path) -> None:
    with opened(written) as store:
        before = answers(store)
    git(written, "update-ref", "-d", "refs/heads/main")
    with opened(written) as store:
        with pytest.raises(StoreUnavailable) as caught:
            post(store, BLUE, GREEN)
        assert caught.value.code == "main_missing"
        assert "gitmail doctor --fix" in caught.value.hint
        examine(store, fix=True)
        assert answers(store) == before
    assert_sound(written)
