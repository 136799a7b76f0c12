"""The staged list as the hook sees it, asked from inside a real pre-commit or pre-push hook.

The hook writes down what `gitmail.git.staged` answers with the very environment git gave it.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gitmail.git.environment import strip_process_environment

PROBE = """
import json, os, sys
from datetime import UTC, datetime
from pathlib import Path
from gitmail.git.staged import pushed_paths, staged_paths
out, since = Path(sys.argv[1]), datetime.fromtimestamp(float(sys.argv[2]), UTC)
if sys.argv[3:]:
    found = pushed_paths(sys.stdin.buffer.read(), sys.argv[3], os.environ, Path.cwd(), since)
    answer = {path.decode("latin-1"): int(when.timestamp()) for path, when in found.items()}
else:
    answer = [path.decode("latin-1") for path in staged_paths(os.environ, Path.cwd())]
with out.open("a") as file:
    print(json.dumps(answer), file=file)
"""
LONG_AGO = 1.0


class Recorder:
    """Installs the hook in a repository and tells what it found since it was last asked."""

    def __init__(self, folder: Path) -> None:
        self._script = folder / "probe.py"
        self._script.write_text(PROBE)
        self._out = folder / "found"
        self.since = LONG_AGO

    def install(self, code, kind: str = "pre-commit") -> None:
        words = [sys.executable, str(self._script), str(self._out), str(self.since)]
        path = os.pathsep.join(sys.path)
        line = f"PYTHONPATH={shlex.quote(path)} exec {shlex.join(words)}"
        remote = ' "$1"' if kind == "pre-push" else ""
        code.hook(kind, f"#!/bin/sh\n{line}{remote}\n")

    def take(self) -> list:
        text = self._out.read_text() if self._out.exists() else ""
        self._out.unlink(missing_ok=True)
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path)


@pytest.fixture
def watched(code, recorder: Recorder):
    recorder.install(code)
    return code


def test_the_very_first_commit_lists_every_file(make_code, recorder: Recorder) -> None:
    code = make_code("new")
    recorder.install(code)
    code.commit("first", "a", "b/c")
    assert recorder.take() == [["a", "b/c"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-m", "x"], ["src/b.py"]),
        (["-a", "-m", "x"], ["src/a.py", "src/b.py"]),
        (["-m", "x", "--", "src/a.py"], ["src/a.py"]),
        (["-m", "x", "-i", "src/a.py"], ["src/a.py", "src/b.py"]),
        (["--amend", "-m", "x"], ["src/b.py"]),
        (["--amend", "-a", "-m", "x"], ["src/a.py", "src/b.py"]),
        (["--amend", "--no-edit", "-o", "--", "src/a.py"], ["src/a.py"]),
    ],
)
def test_each_form_of_commit_lists_what_it_will_contain(
    watched, recorder: Recorder, arguments: list[str], expected: list[str]
) -> None:
    watched.write("src/a.py", "changed\n")
    watched.write("src/b.py", "changed\n")
    watched.git("add", "src/b.py")
    before = watched.git("write-tree")
    watched.git("commit", "-q", *arguments)
    assert recorder.take() == [expected]
    if arguments == ["-m", "x"]:
        assert watched.git("rev-parse", "HEAD^{tree}") == before
    assert watched.git("fsck", "--strict", "--no-dangling") == ""


def test_a_commit_of_hunks_lists_the_files_of_the_hunks(watched, recorder: Recorder) -> None:
    watched.write("src/a.py", "changed\n")
    watched.write("src/b.py", "changed\n")
    watched.git("commit", "-q", "-p", "-m", "x", stdin="y\nn\n")
    assert recorder.take() == [["src/a.py"]]


def test_an_amended_message_touches_nothing(watched, recorder: Recorder) -> None:
    watched.git("commit", "-q", "--amend", "-m", "better words")
    assert recorder.take() == [[]]


def test_a_rename_lists_both_names_whatever_the_config_says(watched, recorder: Recorder) -> None:
    for key, value in (
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("diff.noprefix", "true"),
        ("core.quotePath", "true"),
        ("diff.external", "/bin/false"),
        ("color.ui", "always"),
    ):
        watched.git("config", key, value)
    watched.git("mv", "src/a.py", "src/ä\tb.py")
    watched.git("commit", "-q", "-m", "x")
    assert recorder.take() == [["src/a.py", "src/ä\tb.py".encode().decode("latin-1")]]


ODD_NAMES = [
    b"\xff\xfe",
    b"line\nfeed",
    b"-n",
    b" ",
    b":x",
    b"a\\b",
    b'"q"',
    "ü".encode(),
    b"[a]*?",
]


def test_names_of_any_bytes_come_back_as_they_are(watched, recorder: Recorder) -> None:
    for name in ODD_NAMES:
        watched.write(name)
    watched.git("add", "-A")
    watched.git("commit", "-q", "-m", "x")
    [found] = recorder.take()
    assert sorted(name.encode("latin-1") for name in found) == sorted(ODD_NAMES)


def test_a_deletion_a_mode_change_and_a_link_are_changes(watched, recorder: Recorder) -> None:
    watched.git("rm", "-q", "src/a.py")
    watched.git("update-index", "--chmod=+x", "src/b.py")
    (watched.top / "docs/x.md").unlink()
    (watched.top / "docs/x.md").symlink_to("y")
    watched.git("add", "docs")
    watched.git("commit", "-q", "-m", "x")
    assert recorder.take() == [["docs/x.md", "src/a.py", "src/b.py"]]


def test_from_a_subfolder_paths_are_from_the_top(watched, recorder: Recorder) -> None:
    watched.write("src/a.py", "changed\n")
    watched.git("commit", "-q", "-m", "x", "a.py", cwd=watched.top / "src")
    assert recorder.take() == [["src/a.py"]]


def test_a_linked_worktree_lists_its_own_index(watched, recorder: Recorder, tmp_path: Path) -> None:
    linked = tmp_path / "linked tree"
    watched.git("worktree", "add", "-q", "-b", "other", str(linked))
    watched.write("src/b.py", "not staged here\n")
    watched.git("add", "src/b.py")
    (linked / "src/a.py").write_text("changed\n")
    watched.git("commit", "-q", "-a", "-m", "x", cwd=linked)
    assert recorder.take() == [["src/a.py"]]
    assert watched.git("diff", "--cached", "--name-only") == "src/b.py"


def test_a_submodule_is_a_folder_of_its_superproject(
    watched, make_code: Callable, recorder: Recorder
) -> None:
    library = make_code("library")
    library.commit("first", "lib.c")
    allow = ("-c", "protocol.file.allow=always")
    watched.git(*allow, "submodule", "--quiet", "add", str(library.top), "vendor/lib")
    watched.git("commit", "-q", "-m", "x")
    assert recorder.take() == [[".gitmodules", "vendor/lib/"]]
    inside = watched.top / "vendor/lib"
    hooks = watched.git("rev-parse", "--path-format=absolute", "--git-path", "hooks", cwd=inside)
    Path(hooks).mkdir(exist_ok=True)
    os.link(watched.top / ".git/hooks/pre-commit", Path(hooks) / "pre-commit")
    (inside / "lib.c").write_text("changed\n")
    watched.git("commit", "-q", "-a", "-m", "in it", cwd=inside)
    assert recorder.take() == [["lib.c"]]


def _two_branches(code) -> None:
    """`other` changes src/a.py and docs/x.md, `main` changes src/a.py and src/b.py."""
    code.git("checkout", "-q", "-b", "other")
    code.commit("theirs", "src/a.py", "docs/x.md")
    code.git("checkout", "-q", "main")
    code.commit("ours", "src/a.py", "src/b.py")


def test_a_merge_counts_only_what_neither_side_has(watched, recorder: Recorder) -> None:
    _two_branches(watched)
    recorder.take()
    assert watched.try_git("merge", "other").returncode == 1
    watched.write("src/a.py", "both\n")
    watched.git("commit", "-q", "-a", "-m", "merged")
    assert recorder.take() == [["src/a.py"]]


def test_a_merge_that_takes_their_side_changes_nothing(watched, recorder: Recorder) -> None:
    _two_branches(watched)
    recorder.take()
    assert watched.try_git("merge", "other").returncode == 1
    watched.git("checkout", "-q", "--theirs", "src/a.py")
    watched.git("commit", "-q", "-a", "-m", "merged")
    assert recorder.take() == [[]]


def test_a_cherry_pick_and_a_rebase_stopped_by_a_conflict_list_the_resolution(
    watched, recorder: Recorder
) -> None:
    _two_branches(watched)
    recorder.take()
    assert watched.try_git("cherry-pick", "other").returncode == 1
    watched.write("src/a.py", "both\n")
    watched.git("add", "-A")
    watched.git("commit", "-q", "-m", "picked")
    assert recorder.take() == [["docs/x.md", "src/a.py"]]
    watched.git("reset", "-q", "--hard", "HEAD~1")
    watched.git("checkout", "-q", "other")
    assert watched.try_git("rebase", "main").returncode == 1
    watched.write("src/a.py", "both\n")
    watched.git("add", "-A")
    watched.git("commit", "-q", "-m", "rebased")
    watched.git("rebase", "--continue")
    assert recorder.take() == [["docs/x.md", "src/a.py"]]


def test_twenty_commits_are_rebased_with_the_hook_in_place(watched, recorder: Recorder) -> None:
    watched.git("checkout", "-q", "-b", "other")
    for number in range(20):
        watched.commit(f"c{number}", f"new/{number}.py")
    watched.git("checkout", "-q", "main")
    watched.commit("ours", "src/b.py")
    watched.git("rebase", "-q", "main", "other")
    assert watched.git("rev-list", "--count", "main..other") == "20"
    assert watched.git("status", "--porcelain") == ""


def test_the_index_of_a_sparse_checkout_is_read_whole(watched, recorder: Recorder) -> None:
    watched.git("sparse-checkout", "set", "--cone", "src")
    watched.write("src/a.py", "changed\n")
    watched.git("commit", "-q", "-a", "-m", "x")
    assert recorder.take() == [["src/a.py"]]


# -- pushing -----------------------------------------------------------------------------------


@pytest.fixture
def pushing(code, make_code: Callable, recorder: Recorder, tmp_path: Path):
    code.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    code.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    code.git("push", "-q", "-u", "origin", "main")
    recorder.install(code, "pre-push")
    return code


def _paths(found: list[dict[str, int]]) -> list[list[str]]:
    return [sorted(one) for one in found]


def test_a_push_lists_the_paths_of_its_new_commits(pushing, recorder: Recorder) -> None:
    pushing.commit("one", "src/a.py")
    pushing.commit("two", "src/new.py")
    pushing.git("push", "-q")
    [found] = recorder.take()
    assert sorted(found) == ["src/a.py", "src/new.py"]
    assert found["src/new.py"] == int(pushing.git("log", "-1", "--format=%ct"))


def test_a_new_branch_lists_only_what_no_branch_of_the_remote_has(
    pushing, recorder: Recorder
) -> None:
    pushing.git("checkout", "-q", "-b", "feature")
    pushing.commit("one", "src/b.py")
    pushing.git("push", "-q", "origin", "feature", "main")
    assert _paths(recorder.take()) == [["src/b.py"]]


def test_deleting_forcing_tags_and_nothing_new(pushing, recorder: Recorder) -> None:
    pushing.commit("one", "src/b.py")
    pushing.git("tag", "-a", "v1", "-m", "v1")
    pushing.git("push", "-q", "origin", "v1")
    pushing.git("push", "-q", "origin", "main")
    pushing.git("push", "-q", "origin", ":v1")
    pushing.git("reset", "-q", "--hard", "HEAD~1")
    pushing.commit("instead", "src/a.py")
    pushing.git("push", "-q", "--force", "origin", "HEAD~0:main")
    assert _paths(recorder.take()) == [["src/b.py"], ["src/b.py"], [], ["src/a.py"]]


def test_a_forced_push_over_unknown_commits_lists_our_own(
    pushing, make_code: Callable, recorder: Recorder, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    pushing.git("clone", "-q", str(tmp_path / "remote.git"), str(other))
    (other / "z").write_text("z")
    pushing.git("add", "z", cwd=other)
    pushing.git("commit", "-q", "-m", "unknown here", cwd=other)
    pushing.git("push", "-q", cwd=other)
    pushing.commit("ours", "src/a.py")
    pushing.git("push", "-q", "--force")
    assert _paths(recorder.take()) == [["src/a.py"]]


def test_a_merged_branch_of_the_remote_is_not_ours_but_its_resolution_is(
    pushing, recorder: Recorder
) -> None:
    pushing.git("checkout", "-q", "-b", "other")
    pushing.commit("theirs", "src/a.py", "docs/x.md")
    pushing.git("push", "-q", "origin", "other")
    recorder.take()
    pushing.git("checkout", "-q", "main")
    pushing.commit("ours", "src/a.py")
    assert pushing.try_git("merge", "other").returncode == 1
    pushing.write("src/a.py", "both\n")
    pushing.git("commit", "-q", "-a", "-m", "merged")
    pushing.git("push", "-q", "origin", "main")
    assert _paths(recorder.take()) == [["src/a.py"]]


def test_a_push_to_a_url_lists_what_is_newer_than_asked(
    pushing, recorder: Recorder, tmp_path: Path
) -> None:
    pushing.git("init", "-q", "--bare", str(tmp_path / "second.git"))
    soon = datetime.now(UTC) + timedelta(days=1)
    recorder.since = (soon - timedelta(hours=1)).timestamp()
    recorder.install(pushing, "pre-push")
    pushing.environment["GIT_COMMITTER_DATE"] = soon.isoformat()
    pushing.commit("later", "src/b.py")
    pushing.git("push", "-q", str(tmp_path / "second.git"), "main")
    assert _paths(recorder.take()) == [["src/b.py"]]


def test_a_decoy_named_by_gits_variables_is_untouched_once_they_are_cleared(
    make_code: Callable, code
) -> None:
    decoy = make_code("decoy")
    environment = {"GIT_DIR": str(decoy.top / ".git"), "GIT_INDEX_FILE": "x", "PATH": "p"}
    removed = strip_process_environment(environment)
    assert set(removed) == {"GIT_DIR", "GIT_INDEX_FILE"}
    assert environment == {"PATH": "p"}
