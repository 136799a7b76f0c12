"""`gitmail doctor`: what is wrong with a store, in sentences, and what can be put right.

Looks at everything once: unlike every other command it does walk the whole tree and proves that
index = tree = main. `--fix` calls the same repair functions that an opener calls by itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from gitmail.errors import BrokenFile, GitmailError
from gitmail.format.checks import check_new_file
from gitmail.git import process, repository, walk
from gitmail.git.durable import disk_error
from gitmail.git.maintain import count_loose
from gitmail.git.refs import delete_ref, other_refs, points_at_main, read_main, repair_head
from gitmail.git.trees import list_tree
from gitmail.index.dump import dump
from gitmail.index.index import Index
from gitmail.index.tree import broken_files
from gitmail.store.blobs import blob_id
from gitmail.store.hook_stubs import hook_problems, write_hooks
from gitmail.store.index_view import MainRewound
from gitmail.store.joining import join_tips, recover_main
from gitmail.store.store import Store
from gitmail.store.surroundings import file_system, lock_excludes
from gitmail.store.tree import TreeChange
from gitmail.values.paths import Kind, classify

MANY_LOOSE = 20_000
IGNORED = (".git",)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing doctor looked at: level ok | info | warning | error, a stable code, a sentence."""

    level: str
    code: str
    message: str
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Examination:
    """All findings of one run; `healthy` while nothing is left that is wrong."""

    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """True when every warning and error was put right."""
        return all(one.fixed or one.level in ("ok", "info") for one in self.findings)


Progress = Callable[[str], None]


def examine(store: Store, *, fix: bool = False, progress: Progress = lambda _: None) -> Examination:
    """Examine a store and, with `fix`, put right what can be put right without losing anything."""
    findings: list[Finding] = []
    for step in _STEPS:
        progress(step.__name__.strip("_"))
        try:
            findings += step(store, fix)
        except GitmailError as error:
            findings.append(Finding("error", error.code, error.message))
        except OSError as error:
            failure = disk_error(error, error.filename or store.path)
            findings.append(Finding("error", failure.code, failure.message))
    return Examination(tuple(findings))


def _head(store: Store, fix: bool) -> Iterator[Finding]:
    """HEAD must point at main: without it git does not even take the folder for a repository."""
    if points_at_main(store.git_dir):
        return
    if fix:
        with store.lock.hold():
            repair_head(store.git_dir)
    yield Finding("error", "wrong_head", "HEAD does not point at refs/heads/main", fixed=fix)


def _settings(store: Store, fix: bool) -> Iterator[Finding]:
    problems = repository.check_config(store.git_dir)
    hooks = hook_problems(store.git_dir)
    if fix:
        repository.repair_config(store.git_dir)
        if hooks:
            write_hooks(store.git_dir, sys.executable)
    for problem in problems:
        yield Finding("warning", "settings", f"git settings: {problem.what}", fixed=fix)
    for sentence in hooks:
        yield Finding("error", "hooks", sentence, fixed=fix)
    if not problems and not hooks:
        yield Finding("ok", "settings", "format 1, the store's git settings and hooks are in place")
    for warning in store.config().warnings:
        yield Finding("warning", "config", warning)


def _strangers(store: Store, fix: bool) -> Iterator[Finding]:
    """What plain git may have left in the repository: an index, branches, tags."""
    stray = store.git_dir / "index"
    if stray.exists():
        if fix:
            stray.unlink()
        what = "the store has a git index, which nothing of it needs"
        yield Finding("warning", "git_index", what, fixed=fix)
    for name, commit in other_refs(store.git_dir):
        merged = walk.is_ancestor(store.git_dir, commit, store.main())
        if fix and merged:
            delete_ref(store.git_dir, name, commit)
        what = f"{name} is no part of a store, which has main only"
        what += "" if merged else f"; it holds commits that main lacks ({commit[:12]})"
        yield Finding("warning", "other_ref", what, fixed=fix and merged)


def _surroundings(store: Store, _fix: bool) -> Iterator[Finding]:
    kind = file_system(store.path)
    yield Finding("info", "file_system", f"the store is on {kind.name}")
    if kind.shared:
        yield Finding(
            "warning",
            "shared_file_system",
            f"{kind.name}: locks and presence of other machines may be invisible here, "
            "and file events may not arrive (the notifier polls)",
        )
    if lock_excludes(store.private):
        yield Finding("ok", "lock", "two processes exclude each other here")
    else:
        yield Finding("error", "lock", "the lock does not exclude a second process here")


def _leftovers(store: Store, _fix: bool) -> Iterator[Finding]:
    """Finish what a crashed writer left, as every opener does, with or without `--fix`."""
    found = [f"tmp/{name}" for name in sorted(os.listdir(store.private.tmp))]
    behind = store.tree.marker() != read_main(store.git_dir)
    store.repair_if_needed()
    left = set(os.listdir(store.private.tmp))
    for name in found:
        what = f"{name}: left by a writer that died (or one at work right now)"
        yield Finding("warning", "leftover", what, fixed=name.removeprefix("tmp/") not in left)
    if behind and store.tree.marker() == read_main(store.git_dir):
        yield Finding("warning", "tree_behind", "the files on disk lagged behind main", fixed=True)
    kept = [name for name in sorted(os.listdir(store.private.aside)) if name.endswith(".md")]
    for name in kept:
        yield Finding("info", "aside", f"aside/{name} is kept for you to look at")


def _main(store: Store, fix: bool) -> Iterator[Finding]:
    main = read_main(store.git_dir)
    marker = store.tree.marker()
    if main is None:
        found = recover_main(store) if fix else None
        what = f"; it is at {found[:12]} again" if found else "; `--fix` looks for its last commit"
        what = f"the store has no main branch{what}"
        yield Finding("error", "main_missing", what, fixed=found is not None)
        return
    try:
        index = store.index_view.current()
        store.index_view.catch_up(index)
    except MainRewound as rewound:
        joined = join_tips(store, rewound) if fix else None
        yield Finding(
            "error",
            "main_rewound",
            f"main was moved by hand from {rewound.marker[:12]} to {rewound.main[:12]}"
            + (f"; both are joined in {joined[:12]}" if joined else "; `--fix` joins both"),
            fixed=joined is not None,
        )
        return
    yield Finding("ok", "main", f"main is {main[:12]}, the tree shows {(marker or 'nothing')[:12]}")


def _repository(store: Store, _fix: bool) -> Iterator[Finding]:
    done = process.try_run(
        ["fsck", "--strict", "--no-dangling", "--no-progress"], git_dir=store.git_dir, timeout=None
    )
    if done.returncode == 0:
        yield Finding("ok", "fsck", "git fsck finds nothing wrong")
        return
    words = (done.stderr + done.stdout).decode("utf-8", "replace").strip().splitlines()
    yield Finding("error", "fsck", "git fsck: " + "; ".join(words[:3]))


def _index(store: Store, fix: bool) -> Iterator[Finding]:
    """Prove that the index holds exactly what a rebuild from git would."""
    live = store.index_view.current()
    with suppress(MainRewound):  # said already; the index is compared as of its marker
        store.index_view.catch_up(live)
    yield Finding("info", "sqlite", f"SQLite journal mode: {live.journal_mode}")
    scratch = store.private.tmp / f"doctor-{os.getpid()}.sqlite"
    try:
        rebuilt = store.index_view.build_at(scratch)
        try:
            same = _same(live, rebuilt)
        finally:
            rebuilt.discard()
    finally:
        scratch.unlink(missing_ok=True)
    if same:
        yield Finding("ok", "index", "the index is what a rebuild from git gives")
        return
    if fix:
        store.index_view.discard()
        store.index_view.current()
    yield Finding("error", "index", "the index differs from what git holds", fixed=fix)


def _same(live: Index, rebuilt: Index) -> bool:
    from itertools import zip_longest

    with live.reading(), rebuilt.reading():
        return all(one == other for one, other in zip_longest(dump(live), dump(rebuilt)))


def _tree(store: Store, fix: bool) -> Iterator[Finding]:
    """Compare every file on disk with main."""
    main = store.tree.marker() or store.main()  # they differ only where main was forced
    wanted = {
        path: entry.sha for path, entry in list_tree(store.reader, store.reader.commit(main).tree)
    }
    differing = []
    for path, sha in wanted.items():
        data = store.tree.read(path)
        if data is None or blob_id(data) != sha:
            differing.append((path, data is None))
    strangers = [path for path in _on_disk(store) if path not in wanted]
    for path, missing in differing:
        what = "is missing on disk" if missing else "differs on disk from main"
        mended = fix and _restore(store, path, wanted[path], missing)
        yield Finding("warning", "tree", f"{path} {what}", fixed=mended)
    for path in strangers:
        yield Finding("warning", "stranger", f"{path} is on disk but not in main")
    if not differing and not strangers:
        yield Finding("ok", "tree", f"all {len(wanted)} files on disk are as main has them")


def _restore(store: Store, path: str, sha: str, missing: bool) -> bool:
    """Put a file back as main has it; an edited note is left for `gitmail commit`."""
    if not missing and classify(path).kind in (Kind.AGENT, Kind.MEMORY, Kind.FIXED):
        return False
    with store.writing():
        store.tree.place([TreeChange(path, sha, store.reader.blob(sha))])
    return True


def _on_disk(store: Store) -> Iterator[str]:
    top = str(store.path)
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in IGNORED or folder != top]
        for file in files:
            yield os.path.relpath(os.path.join(folder, file), top)


def _files(store: Store, _fix: bool) -> Iterator[Finding]:
    """Name every file of main that cannot be read, and letters that break a rule."""
    broken = store.read(lambda view: broken_files(view.index))
    for row in broken:
        yield Finding("error", "broken_file", BrokenFile(row.path, row.problem, row.line).message)
    named = {row.path for row in broken}
    root = store.reader.commit(store.tree.marker() or store.main()).tree
    count = 0
    for path, entry in list_tree(store.reader, root):
        count += 1
        if path not in named:
            for problem in check_new_file(path, store.reader.blob(entry.sha)):
                yield Finding("error", "rule", problem)
    if not broken:
        yield Finding("ok", "files", f"all {count} files follow the format and the receipts rule")


def _packing(store: Store, _fix: bool) -> Iterator[Finding]:
    loose = count_loose(store.git_dir)
    if loose > MANY_LOOSE:
        yield Finding("warning", "loose", f"about {loose} loose objects: run `gitmail maintain`")
    else:
        yield Finding("ok", "loose", f"about {loose} loose objects")


_STEPS = (
    _head,
    _settings,
    _surroundings,
    _leftovers,
    _main,
    _strangers,
    _repository,
    _index,
    _tree,
    _files,
    _packing,
)
