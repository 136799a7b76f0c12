"""Objects are read whole and verified, and written so that they appear only when safe."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_store

from gitmail.errors import StoreUnavailable
from gitmail.git.loose import LooseWriter, loose_path, object_name
from gitmail.git.objects import ObjectReader


def _blob(git_dir: Path, data: bytes) -> str:
    with LooseWriter(git_dir) as writer:
        sha = writer.add("blob", data)
        writer.flush()
    return sha


def _leftovers(git_dir: Path) -> list[Path]:
    return list((git_dir / "objects").rglob("tmp_*"))


def _children() -> list[str]:
    found = subprocess.run(
        ["pgrep", "-f", "-P", str(os.getpid()), "cat-file"],
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout.split()


def test_git_reads_what_was_written_and_the_other_way_round(git_dir: Path) -> None:
    data = b"\0\xff\r\n" * 1000
    sha = _blob(git_dir, data)
    line = ["git", f"--git-dir={git_dir}", "cat-file", "blob", sha]
    assert subprocess.run(line, check=True, capture_output=True).stdout == data
    assert Path(loose_path(git_dir, sha)).stat().st_mode & 0o777 == 0o444
    hash_line = ["git", f"--git-dir={git_dir}", "hash-object", "-w", "--stdin"]
    theirs = subprocess.run(hash_line, input=b"theirs", check=True, capture_output=True)
    with ObjectReader(git_dir) as reader:
        assert reader.blob(theirs.stdout.decode().strip()) == b"theirs"


def test_a_fan_out_to_fifty_is_one_batch_and_invisible_before_it(git_dir: Path) -> None:
    with LooseWriter(git_dir) as writer:
        shas = {writer.add("blob", b"letter %d" % number) for number in range(50)}
        assert not any(os.path.exists(loose_path(git_dir, sha)) for sha in shas)
        assert writer.syncs == 0
        writer.flush()
        assert writer.batches == 1
        folders = {sha[:2] for sha in shas}
        assert writer.syncs in (50 + len(folders), 50 + len(folders) + 1)
    assert all(os.path.exists(loose_path(git_dir, sha)) for sha in shas)
    assert _leftovers(git_dir) == []


def test_what_is_not_flushed_leaves_nothing(git_dir: Path) -> None:
    with LooseWriter(git_dir) as writer:
        sha = writer.add("blob", b"thought better of it")
    assert not os.path.exists(loose_path(git_dir, sha))
    assert _leftovers(git_dir) == []


def test_an_object_that_is_there_is_not_written_again(git_dir: Path) -> None:
    path = Path(loose_path(git_dir, _blob(git_dir, b"same")))
    os.utime(path, (0, 0))
    inode = path.stat().st_ino
    _blob(git_dir, b"same")
    assert path.stat().st_ino == inode
    assert path.stat().st_mtime > 0, "touched, so that no prune takes it for old"


@pytest.mark.parametrize("content", [b"", b"garbage", None], ids=["empty", "garbage", "cut"])
def test_a_damaged_object_is_named_and_writing_it_again_heals_it(
    git_dir: Path, content: bytes | None
) -> None:
    data = bytes(range(256)) * 20
    sha = _blob(git_dir, data)
    path = Path(loose_path(git_dir, sha))
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-9] if content is None else content)
    with ObjectReader(git_dir) as reader:
        with pytest.raises(StoreUnavailable) as caught:
            reader.blob(sha)
        assert caught.value.code == "damaged_object"
        assert caught.value.facts["object"] == sha
        _blob(git_dir, data)
        assert reader.blob(sha) == data


def test_an_object_under_a_wrong_name_is_damaged(git_dir: Path) -> None:
    other = object_name("blob", b"other")[0]
    os.makedirs(os.path.dirname(loose_path(git_dir, other)), exist_ok=True)
    os.rename(loose_path(git_dir, _blob(git_dir, b"one")), loose_path(git_dir, other))
    with ObjectReader(git_dir) as reader, pytest.raises(StoreUnavailable, match="damaged"):
        reader.blob(other)


@pytest.mark.parametrize("sha", ["0" * 40, "main", "", "a" * 40 + "\nHEAD"])
def test_an_object_the_store_has_not_is_missing(git_dir: Path, sha: str) -> None:
    with ObjectReader(git_dir) as reader, pytest.raises(StoreUnavailable) as caught:
        reader.read(sha)
    assert caught.value.code == "missing_object"


def test_an_object_of_another_type_is_refused(git_dir: Path) -> None:
    with ObjectReader(git_dir) as reader, pytest.raises(StoreUnavailable) as caught:
        reader.tree(_blob(git_dir, b"no tree"))
    assert caught.value.code == "damaged_object"


def test_a_reader_survives_gc_repacking_and_the_death_of_its_process(git_dir: Path) -> None:
    commits = [tiny_store.write(git_dir, {f"mail/A/{n}.md": b"%d" % n}) for n in range(5)]
    with ObjectReader(git_dir) as reader:
        for step in (["repack", "-adq"], ["gc", "-q", "--prune=now"], ["repack", "-adFq"]):
            tiny_store.git(git_dir, *step)
            commits.append(tiny_store.write(git_dir, {f"{step[0]}{len(commits)}.md": b"x"}))
            assert [reader.commit(sha).sha for sha in commits] == commits
        for child in _children():
            os.kill(int(child), 9)
        packed = commits[0]
        assert not os.path.exists(loose_path(git_dir, packed))
        assert reader.commit(packed).message == "mail: test\n"
        assert len(_children()) == 1
    assert _children() == []


def test_a_reader_that_is_forgotten_leaves_no_process(git_dir: Path) -> None:
    tiny_store.git(git_dir, "repack", "-adq")
    reader = ObjectReader(git_dir)
    reader.commit(tiny_store.git(git_dir, "rev-parse", "main"))
    assert len(_children()) == 1
    del reader
    assert _children() == []


def test_many_threads_read_the_right_bytes(git_dir: Path) -> None:
    texts = {_blob(git_dir, b"text %d" % number * 50): number for number in range(40)}
    tree = "".join(f"100644 blob {sha}\t{number}\n" for sha, number in texts.items())
    line = ["git", f"--git-dir={git_dir}", "mktree"]
    root = subprocess.run(line, input=tree.encode(), check=True, capture_output=True).stdout
    tiny_store.git(
        git_dir, "update-ref", "refs/heads/main", _commit(git_dir, root.decode().strip())
    )
    tiny_store.git(git_dir, "repack", "-adq")
    wrong: list[str] = []

    def read() -> None:
        for sha, number in texts.items():
            if reader.blob(sha) != b"text %d" % number * 50:
                wrong.append(sha)

    with ObjectReader(git_dir) as reader:
        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def _commit(git_dir: Path, tree: str) -> str:
    return tiny_store.git(git_dir, "commit-tree", tree, "-m", "many", "-p", "main")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB, where the system lets us mount one."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)]
    try:
        mounted = subprocess.run(mount, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("needs the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_named_and_leaves_nothing(small_disk: Path) -> None:
    git_dir = tiny_store.make_store(small_disk / "store")
    before = tiny_store.git(git_dir, "rev-parse", "main")
    with LooseWriter(git_dir) as writer, pytest.raises(StoreUnavailable) as caught:
        [writer.add("blob", os.urandom(2000)) for _ in range(400)]
    assert caught.value.code == "disk_full"
    assert str(git_dir) in caught.value.message
    assert _leftovers(git_dir) == []
    assert tiny_store.git(git_dir, "rev-parse", "main") == before
    tiny_store.write(git_dir, {"small.md": b"fits again"})
    tiny_store.assert_sound(git_dir)


def test_a_read_only_store_is_read_and_not_written(small_disk: Path) -> None:
    git_dir = tiny_store.make_store(small_disk / "store")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with ObjectReader(git_dir) as reader:
        assert reader.commit(tiny_store.git(git_dir, "rev-parse", "main")).parents == ()
    with LooseWriter(git_dir) as writer, pytest.raises(StoreUnavailable) as caught:
        writer.add("blob", b"anything new")
    assert caught.value.code == "read_only"
