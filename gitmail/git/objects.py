"""Reading the store's objects: loose files directly, anything else from one git process."""

from __future__ import annotations

import re
import subprocess
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import IO, NamedTuple, Self

from gitmail.errors import StoreUnavailable
from gitmail.git import process
from gitmail.git.commits import Commit, parse_commit
from gitmail.git.loose import LooseWriter, damaged, object_name, read_loose

__all__ = ["TREE", "LooseWriter", "ObjectReader", "TreeEntry", "parse_tree"]

TREE = 0o040000
_SHA = re.compile(r"[0-9a-f]{40}")
_CACHED_TREES = 256
_AT_ONCE = 64
_Tree = Mapping[str, "TreeEntry"]


class TreeEntry(NamedTuple):
    """One line of a tree: git's mode as a number (0o100644, 0o40000, …) and the object's SHA-1."""

    mode: int
    sha: str


def parse_tree(data: bytes) -> dict[str, TreeEntry]:
    """Read a tree object's content into name → entry; names that are not UTF-8 survive.

    Raises ValueError if it is malformed.
    """
    entries: dict[str, TreeEntry] = {}
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        end = data.index(b"\0", space)
        name = data[space + 1 : end].decode("utf-8", "surrogateescape")
        entries[name] = TreeEntry(int(data[at:space], 8), data[end + 1 : end + 21].hex())
        at = end + 21
    return entries


class ObjectReader:
    """Objects of one repository, for many threads.

    What is packed comes from one long-lived `git cat-file --batch`, started when first needed and
    once more if it died; it survives gc and repacking. `close` ends it, as does the end of the
    `with` block or of the reader's life. With `quarantine` the objects of a push under way are
    seen too. Every object's hash is verified.
    """

    def __init__(self, git_dir: Path, quarantine: bool = False) -> None:
        self._git_dir = git_dir
        self._quarantine = quarantine
        self._lock = threading.Lock()
        self._batch: subprocess.Popen[bytes] | None = None
        self._ender: weakref.finalize[[subprocess.Popen[bytes]], ObjectReader] | None = None
        self._trees: OrderedDict[str, _Tree] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(self, sha: str) -> tuple[str, bytes]:
        """Return (type, content) of the object `sha`.

        Raises StoreUnavailable `damaged_object`, or `missing_object` if the store has none such.
        """
        if _SHA.fullmatch(sha) is None:
            raise _missing(sha)
        problem: StoreUnavailable | None = None
        try:
            found = read_loose(self._git_dir, sha)
        except StoreUnavailable as error:
            found, problem = None, error
        if found is None:
            with self._lock:
                found = self._ask(sha)
        if found is None:
            raise problem or _missing(sha)
        return found

    def blob(self, sha: str) -> bytes:
        """Return a blob's content; raises as `read` does, `damaged_object` for another type."""
        return self._typed(sha, "blob")

    def blobs(self, shas: Iterable[str]) -> dict[str, bytes]:
        """Return many blobs at once, asking git for a handful at a time; raises as `read` does.

        One question and answer each costs two switches between processes, which is most of it.
        """
        found: dict[str, bytes] = {}
        packed = []
        for sha in dict.fromkeys(shas):
            loose = read_loose(self._git_dir, sha) if _SHA.fullmatch(sha) else None
            if loose is not None and loose[0] == "blob":
                found[sha] = loose[1]
            else:
                packed.append(sha)
        for start in range(0, len(packed), _AT_ONCE):
            found.update(self._ask_many(packed[start : start + _AT_ONCE]))
        return found

    def _ask_many(self, shas: list[str]) -> dict[str, bytes]:
        """Ask for a few; whatever is not a sound blob is asked for again alone, for its error."""
        with self._lock:
            try:
                answers = _exchange_many(self._batch or self._start_batch(), shas)
            except BaseException as error:
                self._end_batch()
                if not isinstance(error, OSError):
                    raise
                answers = [None] * len(shas)
        return {
            sha: answer[1]
            if answer is not None and answer[0] == "blob" and object_name(*answer)[0] == sha
            else self.blob(sha)
            for sha, answer in zip(shas, answers, strict=True)
        }

    def commit(self, sha: str) -> Commit:
        """Return a commit; raises as `blob` does."""
        try:
            return parse_commit(self._typed(sha, "commit"), sha)
        except ValueError as error:
            raise damaged(sha, str(error)) from error

    def tree(self, sha: str) -> Mapping[str, TreeEntry]:
        """Return a tree as a read-only mapping name → entry; raises as `blob` does."""
        with self._lock:
            if (cached := self._trees.get(sha)) is not None:
                self._trees.move_to_end(sha)
                return cached
        try:
            entries = parse_tree(self._typed(sha, "tree"))
        except ValueError as error:
            raise damaged(sha, "it is no well-formed tree") from error
        return self.remember_tree(sha, entries)

    def remember_tree(self, sha: str, entries: dict[str, TreeEntry]) -> Mapping[str, TreeEntry]:
        """Keep a tree that was just written, so that the next write need not read it."""
        tree = MappingProxyType(entries)
        with self._lock:
            self._trees[sha] = tree
            while len(self._trees) > _CACHED_TREES:
                self._trees.popitem(last=False)
        return tree

    def close(self) -> None:
        """End the git process, if one runs. The reader stays usable."""
        with self._lock:
            self._end_batch()

    def _typed(self, sha: str, kind: str) -> bytes:
        found, data = self.read(sha)
        if found != kind:
            raise damaged(sha, f"it is a {found} where a {kind} belongs")
        return data

    def _ask(self, sha: str) -> tuple[str, bytes] | None:
        try:
            answer = self._ask_once(sha)
        except _BatchDiedError:  # a new one may do better, a third would not
            try:
                answer = self._ask_once(sha)
            except _BatchDiedError as error:
                raise damaged(sha, "git cannot read it") from error
        if answer is not None and object_name(*answer)[0] != sha:
            raise damaged(sha, "its content does not match its name")
        return answer

    def _ask_once(self, sha: str) -> tuple[str, bytes] | None:
        batch = self._batch or self._start_batch()
        try:
            return _exchange(batch, sha)
        except BaseException as error:
            self._end_batch()  # also after Ctrl-C: what is half read would be the next answer
            if isinstance(error, OSError):
                raise _BatchDiedError from error
            raise

    def _start_batch(self) -> subprocess.Popen[bytes]:
        batch = process.start(
            ["cat-file", "--batch"],
            git_dir=self._git_dir,
            stdin=subprocess.PIPE,
            quarantine=self._quarantine,
        )
        self._batch = batch
        self._ender = weakref.finalize(self, process.end, batch)
        return batch

    def _end_batch(self) -> None:
        if self._ender is not None:
            self._ender()
        self._batch = self._ender = None


class _BatchDiedError(Exception):
    """The git process ended, or answered with less than it announced."""


def _exchange(batch: subprocess.Popen[bytes], sha: str) -> tuple[str, bytes] | None:
    return _exchange_many(batch, [sha])[0]


def _exchange_many(
    batch: subprocess.Popen[bytes], shas: list[str]
) -> list[tuple[str, bytes] | None]:
    if batch.stdin is None or batch.stdout is None:
        raise BrokenPipeError
    batch.stdin.write("".join(f"{sha}\n" for sha in shas).encode())
    batch.stdin.flush()
    return [_answer(batch.stdout) for _ in shas]


def _answer(stdout: IO[bytes]) -> tuple[str, bytes] | None:
    words = stdout.readline().split()
    if words[1:] == [b"missing"]:
        return None
    if len(words) != 3:
        raise BrokenPipeError
    size = int(words[2])
    data = stdout.read(size + 1)
    if len(data) != size + 1:
        raise BrokenPipeError
    return words[1].decode("ascii"), data[:-1]


def _missing(sha: str) -> StoreUnavailable:
    return StoreUnavailable(
        "missing_object",
        f"The store has no object {sha}.",
        "Run `gitmail doctor`.",
        object=sha,
    )
