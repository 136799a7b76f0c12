"""Changing a few paths rewrites the trees above them and nothing else."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
import tiny_store
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import Refused
from gitmail.git.commits import Person, build_commit, ident, parse_commit, parse_ident
from gitmail.git.loose import LooseWriter
from gitmail.git.objects import TREE, ObjectReader
from gitmail.git.trees import change_tree, list_tree, read_path

_FOLDERS = st.sampled_from(["", "a/", "a/b/", "a-b/", "a.b/", "ab/", "é/", "a/b/c/"])
_NAMES = st.sampled_from(["f0", "f", "f.md", "F", "f-1", "ü", "z" * 50])
_PATHS = st.builds(str.__add__, _FOLDERS, _NAMES)
_CHANGES = st.dictionaries(_PATHS, st.none() | st.binary(max_size=3), max_size=6)


def _apply(
    git_dir: Path, root: str | None, changes: Mapping[str, bytes | None]
) -> tuple[str, LooseWriter]:
    with ObjectReader(git_dir) as reader, LooseWriter(git_dir, fsync=False) as writer:
        blobs = {
            path: None if data is None else writer.add("blob", data)
            for path, data in changes.items()
        }
        new = change_tree(reader, writer, root, blobs)
        writer.flush()
    return new, writer


def _listed_by_git(git_dir: Path, root: str) -> dict[str, str]:
    line = ["git", f"--git-dir={git_dir}", "ls-tree", "-r", "-z", root]
    out = subprocess.run(line, check=True, capture_output=True).stdout.decode()
    entries = (entry.split("\t", 1) for entry in out.split("\0") if entry)
    return {path: head.split(" ")[2] for head, path in entries}


@settings(max_examples=40, deadline=None)
@given(st.lists(_CHANGES, max_size=4))
def test_any_run_of_changes_gives_what_a_dictionary_gives(
    steps: list[dict[str, bytes | None]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        git_dir = Path(folder) / "x.git"
        subprocess.run(["git", "init", "-q", "--bare", str(git_dir)], check=True)
        root: str | None = None
        model: dict[str, bytes] = {}
        for changes in steps:
            root, _ = _apply(git_dir, root, changes)
            for path, data in changes.items():
                if data is None:
                    model.pop(path, None)
                else:
                    model[path] = data
        if root is None:
            return
        with ObjectReader(git_dir) as reader:
            listed = dict(list_tree(reader, root))
            assert {path: reader.blob(entry.sha) for path, entry in listed.items()} == model
        assert _listed_by_git(git_dir, root) == {path: e.sha for path, e in listed.items()}
        assert list(listed) == list(_listed_by_git(git_dir, root))
        tiny_store.assert_sound(git_dir)


def test_only_the_trees_on_the_changed_paths_are_written(git_dir: Path) -> None:
    files = {f"mail/A{n}/inbox/{m}.md": b"x" for n in range(20) for m in range(5)}
    root, _ = _apply(git_dir, None, files)
    new, writer = _apply(git_dir, root, {"mail/A3/inbox/new.md": b"new"})
    assert new != root
    # blob, inbox, A3, mail and root; their folders; perhaps objects/ itself
    assert writer.syncs == 0
    assert writer.batches == 1
    with ObjectReader(git_dir) as reader:
        assert read_path(reader, new, "mail/A4") == read_path(reader, root, "mail/A4")


def test_a_change_that_changes_nothing_keeps_the_tree(git_dir: Path) -> None:
    root, _ = _apply(git_dir, None, {"a/b": b"x"})
    again, writer = _apply(git_dir, root, {"a/b": b"x", "a/none": None, "no/such/file": None})
    assert again == root
    assert writer.batches == 0


def test_an_emptied_folder_vanishes_and_an_emptied_tree_is_the_empty_tree(git_dir: Path) -> None:
    root, _ = _apply(git_dir, None, {"a/b/c": b"x", "d": b"y"})
    root, _ = _apply(git_dir, root, {"a/b/c": None})
    assert list(_listed_by_git(git_dir, root)) == ["d"]
    empty, _ = _apply(git_dir, root, {"d": None})
    assert empty == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def _odd_tree(git_dir: Path) -> str:
    with LooseWriter(git_dir) as writer:
        blob = writer.add("blob", b"x")
        writer.flush()
    lines = f"100755 blob {blob}\trun\n120000 blob {blob}\tlink\n160000 commit {'1' * 40}\tsub\n"
    line = ["git", f"--git-dir={git_dir}", "mktree", "--missing"]
    out = subprocess.run(line, input=lines.encode(), check=True, capture_output=True).stdout
    return out.decode().strip()


def test_a_file_keeps_its_mode(git_dir: Path) -> None:
    root, _ = _apply(git_dir, _odd_tree(git_dir), {"run": b"new", "plain": b"new"})
    with ObjectReader(git_dir) as reader:
        assert [reader.tree(root)[name].mode for name in ("run", "plain")] == [0o100755, 0o100644]


@pytest.mark.parametrize("path", ["run/x", "link/x", "sub/x", "link", "sub"])
def test_a_path_through_or_onto_anything_but_a_file_is_refused(git_dir: Path, path: str) -> None:
    with pytest.raises(Refused) as caught:
        _apply(git_dir, _odd_tree(git_dir), {path: b"x"})
    assert caught.value.code == "path_conflict"


@pytest.mark.parametrize("changes", [{"a": b"x"}, {"a": None}, {"c": b"", "c/d": b""}])
def test_a_file_in_the_place_of_a_folder_is_refused(
    git_dir: Path, changes: dict[str, bytes | None]
) -> None:
    root, _ = _apply(git_dir, None, {"a/b": b"x"})
    with pytest.raises(Refused) as caught:
        _apply(git_dir, root, changes)
    assert caught.value.code == "path_conflict"


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", "../a", "a/./b", ".git/x", "a/.GIT/x"])
def test_a_path_that_git_would_not_check_out_is_refused(git_dir: Path, path: str) -> None:
    with pytest.raises(Refused) as caught:
        _apply(git_dir, None, {path: b"x"})
    assert caught.value.code == "invalid_path"


def test_reading_a_path_finds_files_folders_and_nothing(git_dir: Path) -> None:
    root, _ = _apply(git_dir, None, {"a/b/c": b"x"})
    with ObjectReader(git_dir) as reader:
        found = read_path(reader, root, "a/b")
        assert found is not None
        assert found.mode == TREE
        assert read_path(reader, root, "a/b/c/d") is None
        assert read_path(reader, root, "none") is None
        assert [path for path, _ in list_tree(reader, root, "a/b")] == ["a/b/c"]
        assert list(list_tree(reader, root, "none")) == []


@pytest.mark.parametrize(
    ("who", "line"),
    [
        (Person("BlueLake", "b@x"), b"BlueLake <b@x> 5 +0000"),
        (Person(" <Pat>\nauthor: X. ", "<p@x>\n"), b"Patauthor: X <p@x> 5 +0000"),
        (Person("...", "pat@x"), b"pat <pat@x> 5 +0000"),
        (Person("", ""), b"unknown <> 5 +0000"),
        (Person("Zoë", "z@x"), "Zoë <z@x> 5 +0000".encode()),
    ],
)
def test_an_identity_cannot_forge_a_header(who: Person, line: bytes) -> None:
    assert ident(who, 5) == line


def test_a_commit_is_read_back_as_it_was_built() -> None:
    who = Person("Zoë", "z@x")
    data = build_commit(
        tree="1" * 40,
        parents=["2" * 40, "3" * 40],
        author=who,
        author_time=5,
        committer=Person("C", "c@x"),
        committer_time=6,
        message="subject\n\nbody\n\n",
    )
    commit = parse_commit(data, "4" * 40)
    assert (commit.parents, commit.author, commit.author_time) == (("2" * 40, "3" * 40), who, 5)
    assert commit.message == "subject\n\nbody\n"


def test_signatures_encodings_and_malformed_identities_are_tolerated() -> None:
    data = (
        b"tree " + b"1" * 40 + b"\nauthor nobody\ncommitter A <a@x> 7 +0200\n"
        b"gpgsig -----BEGIN\n tree of lies\n -----END\nencoding ISO-8859-1\n\ncaf\xe9\n"
    )
    commit = parse_commit(data)
    assert (commit.tree, commit.message) == ("1" * 40, "café\n")
    assert (commit.author, commit.author_time) == (Person("nobody", ""), 0)
    assert parse_ident(b"A <a@x> 7 +0200") == (Person("A", "a@x"), 7)
