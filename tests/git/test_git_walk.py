"""The walk tells every commit once, parents first, whatever bytes it holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_store

from gitmail.errors import NotFound, StoreUnavailable
from gitmail.git import walk
from gitmail.git.loose import LooseWriter
from gitmail.git.objects import ObjectReader
from gitmail.git.walk import PathChange


class Hand:
    """A person with a clone."""

    def __init__(self, git_dir: Path, top: Path) -> None:
        self.top = top
        self.git_dir = git_dir
        subprocess.run(["git", "clone", "-q", str(git_dir), str(top)], check=True)

    def git(self, *args: str | bytes, check: bool = True) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.top), *args], check=check, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, name: str | bytes, text: str | None, message: str | bytes = "by hand") -> str:
        path = os.path.join(os.fsencode(self.top), os.fsencode(name))
        if text is None:
            os.unlink(path)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            Path(os.fsdecode(path)).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--cleanup=verbatim", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def push(self) -> None:
        self.git("push", "-q", "origin", "HEAD:main")


@pytest.fixture
def hand(git_dir: Path, tmp_path: Path) -> Hand:
    return Hand(git_dir, tmp_path / "clone")


def _walked(git_dir: Path, since: str | None = None) -> list[walk.WalkedCommit]:
    return list(walk.walk(git_dir, since, "refs/heads/main"))


def test_each_commit_tells_what_it_changed(git_dir: Path) -> None:
    first = tiny_store.write(git_dir, {"mail/A/inbox/1.md": b"one"}, "mail: one\n\nTo: A")
    tiny_store.write(git_dir, {"mail/A/inbox/1.md": None, "mail/A/archive/1.md": b"one"}, "ack")
    start, one, ack = _walked(git_dir)
    assert (start.parents, [change.path for change in start.changes]) == ((), ["README.md"])
    assert (one.sha, one.author, one.author_time) == (first, tiny_store.BLUE_LAKE, tiny_store.NOW)
    assert one.message == "mail: one\n\nTo: A\n"
    blob = one.changes[0].new_sha
    assert one.changes == (PathChange("mail/A/inbox/1.md", None, blob, 0, 0o100644),)
    assert ack.changes == (
        PathChange("mail/A/archive/1.md", None, blob, 0, 0o100644),
        PathChange("mail/A/inbox/1.md", blob, None, 0o100644, 0),
    )
    assert [commit.sha for commit in _walked(git_dir, first)] == [ack.sha]


@pytest.mark.parametrize(
    ("message", "read"),
    [
        (b"", ""),
        (b"\x01" + b"1" * 40, "\x01" + "1" * 40),
        (b":100644 100644 a b M\nx\n", ":100644 100644 a b M\nx\n"),
        (b"  indented\n\n\nlast\n\n", "  indented\n\n\nlast\n\n"),
        (b"commit " + b"1" * 40 + b"\n", "commit " + "1" * 40 + "\n"),
        (b"not utf-8: \xff\n", "not utf-8: \ufffd\n"),
        (b"cut off\0:100644 000000 a b D\0path\0", "cut off"),
    ],
)
def test_no_message_upsets_the_walk(git_dir: Path, message: bytes, read: str) -> None:
    main, before = tiny_store.prepare(git_dir, {"x": b"x"}, "")
    with ObjectReader(git_dir) as reader, LooseWriter(git_dir) as writer:
        plain = reader.read(before)[1].rstrip(b"\n") + b"\n\n"
        odd = writer.add("commit", plain + message)
        writer.flush()
    tiny_store.advance(git_dir, main, odd)
    after = tiny_store.write(git_dir, {"y": b"y"}, "after")
    found = _walked(git_dir, main)
    assert [commit.sha for commit in found] == [odd, after]
    assert [commit.changes[0].path for commit in found] == ["x", "y"]
    # git ends an unfinished last line when it shows a message
    assert found[0].message in (read, read + "\n")


@pytest.mark.parametrize(
    "name", [b"caf\xe9", "new\nline", 'quo"te', ":100644 x", "tab\there", "é/ü", "-dash"]
)
def test_no_path_upsets_the_walk(git_dir: Path, hand: Hand, name: str | bytes) -> None:
    try:
        hand.commit(name, "x")
    except OSError:
        pytest.skip("this file system has no such names")
    hand.commit("last", "x")
    hand.push()
    *_, odd, last = _walked(git_dir)
    assert [os.fsencode(change.path) for change in odd.changes] == [os.fsencode(name)]
    assert [change.path for change in last.changes] == ["last"]


def test_both_sides_of_a_merge_are_walked_and_it_adds_only_its_own(
    git_dir: Path, hand: Hand
) -> None:
    base = hand.commit("both", "base")
    hand.git("checkout", "-q", "-b", "side")
    side = hand.commit("side", "s")
    theirs = hand.commit("both", "theirs")
    hand.git("checkout", "-q", "main")
    ours = hand.commit("both", "ours")
    hand.git("merge", "-q", "side", check=False)
    merge = hand.commit("both", "joined", "joined")
    hand.push()
    found = _walked(git_dir, base)
    shas = [commit.sha for commit in found]
    assert sorted(shas) == sorted([side, theirs, ours, merge])
    assert shas[-1] == merge
    assert shas.index(side) < shas.index(theirs)
    [change] = found[-1].changes
    by_sha = {commit.sha: commit for commit in found}
    assert change.path == "both"
    assert change.old_sha == by_sha[ours].changes[0].new_sha
    assert change.new_sha == walk.diff(git_dir, None, merge)[1].new_sha


@pytest.mark.parametrize("strategy", ["ours", "recursive"])
@pytest.mark.parametrize("first", ["main", "side"])
def test_what_a_merge_drops_silently_is_settled(
    git_dir: Path, hand: Hand, strategy: str, first: str
) -> None:
    hand.commit("old", "base")
    hand.git("branch", "side")
    base = hand.commit("old", "main before the walk")
    for branch in ["main", "side"] if first == "main" else ["side", "main"]:
        hand.git("checkout", "-q", branch)
        hand.commit("both", branch)
        hand.commit(branch, branch)
    hand.git("checkout", "-q", "main")
    hand.git("merge", "-q", "-s", strategy, "side", check=False)
    hand.git("checkout", "-q", "side", "--", "old")
    hand.commit("both", "main", "keeps main's version, and the side's of an older path")
    hand.push()
    told: dict[str, str | None] = {}
    for commit in _walked(git_dir, base):
        told |= {change.path: change.new_sha for change in commit.changes}
    settled = walk.settle(git_dir, base, "main", told)
    told |= {change.path: change.new_sha for change in settled}
    held = {change.path: change.new_sha for change in walk.diff(git_dir, None, "main")}
    assert {path: sha for path, sha in told.items() if sha is not None}.items() <= held.items()
    assert told["old"] == held["old"]
    assert ("side" in {path for path, sha in told.items() if sha is None}) is (strategy == "ours")
    assert walk.settle(git_dir, base, "main", told) == ()


def test_the_users_settings_change_nothing(
    git_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_store.write(git_dir, {"a.md": b"long enough to be seen as renamed\n" * 9})
    tiny_store.write(git_dir, {"a.md": None, "b.md": b"long enough to be seen as renamed\n" * 9})
    plain = _walked(git_dir)
    config = tmp_path / "hostile"
    config.write_text(
        "[log]\nshowSignature = true\ndate = relative\nmailmap = true\nshowRoot = false\n"
        "abbrevCommit = true\nfollow = true\n[diff]\nrenames = copies\nnoprefix = true\n"
        "orderFile = /nonexistent\nrelative = true\n[color]\nui = always\n[format]\n"
        "pretty = oneline\n[i18n]\nlogOutputEncoding = UTF-16\n[core]\nabbrev = 7\n"
        "quotePath = true\n[notes]\ndisplayRef = refs/notes/*\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert _walked(git_dir) == plain


def test_a_walk_that_is_left_early_leaves_no_process(git_dir: Path) -> None:
    tiny_store.write(git_dir, {"a.md": b"a"})
    commits = walk.walk(git_dir, None, "refs/heads/main")
    next(commits)
    commits.close()
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "git"], check=False, capture_output=True
    )
    assert found.stdout == b""


def test_a_walk_to_nowhere_is_an_error_in_gits_words(git_dir: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r"(?i)unknown revision|bad revision|bad object"):
        list(walk.walk(git_dir, "1" * 40, "main"))


def test_the_difference_of_two_endpoints(git_dir: Path) -> None:
    first = tiny_store.write(git_dir, {"a.md": b"a"})
    second = tiny_store.write(git_dir, {"a.md": b"b"})
    [change] = walk.diff(git_dir, first, second)
    assert (change.path, change.old_mode, change.new_mode) == ("a.md", 0o100644, 0o100644)
    assert [change.path for change in walk.diff(git_dir, None, first)] == ["README.md", "a.md"]
    assert walk.diff(git_dir, first, first) == ()


def test_ancestry_is_told_also_for_a_commit_that_is_gone(git_dir: Path) -> None:
    first = tiny_store.write(git_dir, {"a.md": b"a"})
    second = tiny_store.write(git_dir, {"a.md": b"b"})
    assert walk.is_ancestor(git_dir, first, second)
    assert walk.is_ancestor(git_dir, first, first)
    assert not walk.is_ancestor(git_dir, second, first)
    assert not walk.is_ancestor(git_dir, "1" * 40, second)
    assert walk.merge_base(git_dir, first, second) == first
    stranger = tiny_store.git(git_dir, "commit-tree", f"{first}^{{tree}}", "-m", "alone")
    assert walk.merge_base(git_dir, first, stranger) is None


@pytest.mark.parametrize("text", ["none", "--all", "", "main:README.md", "main..main"])
def test_a_commit_nobody_knows_is_not_found(git_dir: Path, text: str) -> None:
    with pytest.raises(NotFound) as caught:
        walk.resolve_commit(git_dir, text)
    assert caught.value.code == "commit_not_found"


def test_a_commit_is_found_by_any_name_git_knows(git_dir: Path) -> None:
    commit = tiny_store.write(git_dir, {"a.md": b"a"})
    assert {walk.resolve_commit(git_dir, text) for text in ("main", commit[:10], "HEAD")} == {
        commit
    }


def test_a_pre_receive_hook_reads_what_is_not_accepted_yet(
    git_dir: Path, hand: Hand, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    script = tmp_path / "hook.py"
    script.write_text(
        "import os, sys\n"
        "from pathlib import Path\n"
        "from gitmail.git import walk\n"
        "from gitmail.git.environment import strip_process_environment\n"
        "from gitmail.git.objects import ObjectReader\n"
        f"git_dir = Path({str(git_dir)!r})\n"
        "strip_process_environment(os.environ, quarantine=True)\n"
        "old, new, ref = sys.stdin.read().split()\n"
        "assert walk.is_ancestor(git_dir, old, new, quarantine=True)\n"
        "[commit] = walk.walk(git_dir, old, new, quarantine=True)\n"
        "with ObjectReader(git_dir, quarantine=True) as reader:\n"
        f"    Path({str(said)!r}).write_bytes(reader.blob(commit.changes[0].new_sha))\n"
        "assert len(walk.diff(git_dir, old, new, quarantine=True)) == 1\n",
        encoding="utf-8",
    )
    hook = git_dir / "hooks" / "pre-receive"
    path = os.pathsep.join(sys.path)
    hook.write_text(
        f"#!/bin/sh\nPYTHONPATH={path} exec {sys.executable} {script}\n", encoding="utf-8"
    )
    hook.chmod(0o755)
    hand.commit("pushed.md", "not accepted yet")
    hand.push()
    assert said.read_text(encoding="utf-8") == "not accepted yet"
