"""History: commits with what each changed, in order, from one git process."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gitmail.errors import NotFound, StoreUnavailable
from gitmail.git import process
from gitmail.git.commits import Person

_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_ZERO = "0" * 40
_MARK = b"\x01"
_FIELDS = ("%x01%H", "%P", "%an", "%ae", "%at", "%B")
_RAW = ("--raw", "-r", "-z", "--no-renames", "--no-abbrev", "--no-relative", "-O/dev/null")
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class PathChange:
    """One path that differs: SHA-1 and mode before and after; None and 0 where there is none."""

    path: str
    old_sha: str | None
    new_sha: str | None
    old_mode: int
    new_mode: int


@dataclass(frozen=True, slots=True)
class WalkedCommit:
    """A commit with its changes against its parent; a merge has those against all its parents."""

    sha: str
    parents: tuple[str, ...]
    author: Person
    author_time: int
    message: str
    changes: tuple[PathChange, ...]


def walk(
    git_dir: Path, since: str | None, until: str, quarantine: bool = False
) -> Generator[WalkedCommit, None, None]:
    """Yield the commits of `since..until` (all up to `until` for None), parents before children.

    Topological, never first-parent only. A merge's changes are the paths that differ from every
    parent, told against the first; after a walk with a merge, `settle` tells the rest. Messages
    decode as UTF-8 with replacement, paths with surrogateescape. Git ends with the iteration; close
    the generator if you leave it early. Raises StoreUnavailable as `process.run`.
    """
    args = ["log", "--topo-order", "--reverse", "--root", "-c", *_RAW, "--no-color"]
    args += ["--no-notes", "--encoding=UTF-8", f"--format=tformat:{'%x00'.join(_FIELDS)}%x00"]
    args += ["--end-of-options", until] + ([f"^{since}"] if since else []) + ["--"]
    import tempfile  # only where history is walked

    with tempfile.TemporaryFile() as stderr:
        git = process.start(args, git_dir=git_dir, stderr=stderr, quarantine=quarantine)
        try:
            if git.stdout is not None:
                yield from _parse(_tokens(git.stdout))
            if git.wait() != 0:
                stderr.seek(0)
                raise process.failure("log", stderr.read(), git.returncode)
        finally:
            process.end(git)


def diff(
    git_dir: Path, old: str | None, new: str, quarantine: bool = False
) -> tuple[PathChange, ...]:
    """Return the paths that differ between two commits or trees; None stands for nothing at all."""
    args = ["diff-tree", *_RAW, old or _EMPTY_TREE, new, "--"]
    out = process.run(args, git_dir=git_dir, quarantine=quarantine)
    tokens = iter(out.split(b"\0"))
    return tuple(_change(token, next(tokens)) for token in tokens if token.startswith(b":"))


def commits_between(git_dir: Path, old: str, new: str) -> frozenset[str]:
    """Return the commits that `new` has and `old` has not; raises as `process.run`."""
    out = process.run(["rev-list", new, f"^{old}", "--"], git_dir=git_dir)
    return frozenset(out.decode("ascii").split())


def count(git_dir: Path, until: str) -> int:
    """Return how many commits `until` has behind it, itself counted."""
    return int(process.run(["rev-list", "--count", until, "--"], git_dir=git_dir))


def paths_ever(git_dir: Path, until: str, folder: str, quarantine: bool = False) -> frozenset[str]:
    """Return every path below `folder` that any commit up to `until` has added."""
    args = ["log", "--full-history", "--diff-filter=A", "--name-only", "-z", "--no-renames"]
    args += ["--no-relative", "--format=tformat:", "--end-of-options", until, "--", folder]
    out = process.run(args, git_dir=git_dir, quarantine=quarantine)
    paths = (part.lstrip(b"\n").decode("utf-8", "surrogateescape") for part in out.split(b"\0"))
    return frozenset(path for path in paths if path)


def settle(
    git_dir: Path, since: str | None, until: str, told: Mapping[str, str | None]
) -> tuple[PathChange, ...]:
    """Return what `until` holds other than a walk told, for a walk that met a merge.

    A merge that keeps one side's version of a path differs from only one parent and so tells
    nothing, while the other side's change was told, perhaps later. `told` maps each path the walk
    told of to its last `new_sha`; the answer's `old_sha` are those (with
    `old_mode` 0, not known). Empty without such a merge.
    """
    out = process.run(["ls-tree", "-r", "-z", "--full-tree", until], git_dir=git_dir)
    held = dict(_entry(line) for line in out.split(b"\0") if line)
    missed = [change for change in diff(git_dir, since, until) if change.path not in told]
    for path, sha in told.items():
        mode, actual = held.get(path, (0, None))
        if actual != sha:
            missed.append(PathChange(path, sha, actual, 0, mode))
    return tuple(sorted(missed, key=lambda change: change.path))


def has_merges(git_dir: Path, until: str) -> bool:
    """Tell whether any commit behind `until` has more than one parent."""
    args = ["rev-list", "--min-parents=2", "--max-count=1", until, "--"]
    return process.run(args, git_dir=git_dir) != b""


def tree_of(git_dir: Path, commit: str) -> dict[str, str]:
    """Return all files of a commit: path to blob id."""
    out = process.run(["ls-tree", "-r", "-z", "--full-tree", commit], git_dir=git_dir)
    return {path: sha or "" for path, (_, sha) in map(_entry, filter(None, out.split(b"\0")))}


def is_ancestor(git_dir: Path, a: str, b: str, quarantine: bool = False) -> bool:
    """Tell whether commit `a` is `b` or one of its ancestors; an unknown `a` is none."""
    args = ["merge-base", "--is-ancestor", a, b]
    done = process.try_run(args, git_dir=git_dir, quarantine=quarantine)
    if done.returncode > 1 and not _knows(git_dir, a, quarantine):
        return False
    if done.returncode > 1:
        raise process.failure("merge-base", done.stderr, done.returncode)
    return done.returncode == 0


def merge_base(git_dir: Path, a: str, b: str) -> str | None:
    """Return the best common ancestor of two commits, or None if they share nothing."""
    done = process.try_run(["merge-base", a, b], git_dir=git_dir)
    if done.returncode > 1:
        raise process.failure("merge-base", done.stderr, done.returncode)
    return done.stdout.decode().strip() or None


def resolve_commit(git_dir: Path, text: str) -> str:
    """Return the full SHA-1 of what a person names as a commit; raises NotFound."""
    args = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}"]
    done = process.try_run(args, git_dir=git_dir)
    sha = done.stdout.decode("ascii", "replace").strip().rpartition("\n")[2]
    if done.returncode != 0 or len(sha) != 40:
        raise NotFound(
            "commit_not_found",
            f"The store has no commit {text!r}.",
            "`gitmail log` lists commits.",
            commit=text,
        )
    return sha


def _knows(git_dir: Path, sha: str, quarantine: bool) -> bool:
    args = ["cat-file", "-e", f"{sha}^{{commit}}"]
    return process.try_run(args, git_dir=git_dir, quarantine=quarantine).returncode == 0


def _entry(line: bytes) -> tuple[str, tuple[int, str]]:
    head, _, path = line.partition(b"\t")
    mode, _, sha = head.decode("ascii").split(" ")
    return path.decode("utf-8", "surrogateescape"), (int(mode, 8), sha)


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _parse(tokens: Iterator[bytes]) -> Iterator[WalkedCommit]:
    head: list[bytes] = []
    changes: list[PathChange] = []
    for token in tokens:
        if token.startswith(_MARK):
            if head:
                yield _commit(head, changes)
            head = [token, *(_next(tokens) for _ in _FIELDS[1:])]
            changes = []
            continue
        raw = token.lstrip(b"\n")
        if raw.startswith(b":"):
            changes.append(_change(raw, _next(tokens)))
    if head:
        yield _commit(head, changes)


def _next(tokens: Iterator[bytes]) -> bytes:
    token = next(tokens, None)
    if token is None:
        raise StoreUnavailable("git_failed", "`git log` ended in the middle of a commit.")
    return token


def _commit(head: list[bytes], changes: list[PathChange]) -> WalkedCommit:
    sha, parents, name, email, time, message = head
    return WalkedCommit(
        sha=sha[1:].decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        author=Person(name.decode("utf-8", "replace"), email.decode("utf-8", "replace")),
        author_time=int(time or 0),
        message=message.decode("utf-8", "replace"),
        changes=tuple(changes),
    )


def _change(raw: bytes, path: bytes) -> PathChange:
    """Read `:mode mode sha sha S`, or with one colon, mode and SHA-1 more for each other parent."""
    colons = len(raw) - len(raw.lstrip(b":"))
    words = raw[colons:].decode("ascii").split(" ")
    old_sha, new_sha = words[colons + 1], words[2 * colons + 1]
    return PathChange(
        path=path.decode("utf-8", "surrogateescape"),
        old_sha=None if old_sha == _ZERO else old_sha,
        new_sha=None if new_sha == _ZERO else new_sha,
        old_mode=int(words[0], 8),
        new_mode=int(words[colons], 8),
    )
