"""What a commit or a push of the code project is about to change, asked from inside its hook.

Inside a hook GIT_INDEX_FILE names the index that is being committed (`git commit -a` and
`git commit PATH` use temporary ones), so the environment must be the hook's, untouched; it is
cleared for everything that comes after. Nothing is written.

Paths are bytes, from the project's top. Renames are not followed, so both names are there. A
submodule is given as a folder (`lib/`), for its pointer stands for all that is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from gitmail.git.code_git import ask, one_line, try_ask
from gitmail.git.process import failure

_DIFF = ("--raw", "-z", "-r", "--no-renames", "--ignore-submodules=none", "--no-ext-diff")
_SUBMODULE = b"160000"


def staged_paths(environment: Mapping[str, str], cwd: Path) -> list[bytes]:
    """Return what the commit under way changes, sorted; `environment` is the hook's.

    Concluding a merge counts only what differs from every side: what comes unchanged from a
    branch is not changed by whoever merges it. Raises StoreUnavailable (`git_failed` …).
    """
    changed = _against("HEAD", environment, cwd)
    for parent in _merged_heads(_git_dir(environment, cwd)):
        changed &= _against(parent, environment, cwd)
    return sorted(changed)


def pushed_paths(
    lines: bytes, remote: str, environment: Mapping[str, str], cwd: Path, since: datetime
) -> dict[bytes, datetime]:
    """Return what a push publishes: each path with the time of the newest commit changing it.

    `lines` is the standard input of pre-push, `remote` its first argument. Commits that the
    remote is known to have, and those from before `since`, do not count; a merge counts for what
    differs from every parent. Raises StoreUnavailable.
    """
    wanted, known = _ends(lines)
    if not wanted:
        return {}
    arguments = ["rev-list", "--timestamp", f"--max-age={int(since.timestamp())}"]
    arguments += ["--ignore-missing", "--stdin"]
    if _is_remote_name(remote):
        arguments += ["--not", f"--remotes={remote}"]
    tips = "".join(f"{oid}\n" for oid in wanted) + "".join(f"^{oid}\n" for oid in known)
    listed = ask(arguments, environment, cwd, tips.encode("ascii"))
    times = _commit_times(listed)
    shown = ask(
        ["diff-tree", "--stdin", "--root", "-c", *_DIFF],
        environment,
        cwd,
        "".join(f"{oid}\n" for oid in times).encode("ascii"),
    )
    return _newest(shown, times)


def _git_dir(environment: Mapping[str, str], cwd: Path) -> Path:
    """Return the checkout's git folder, asking git only where it cannot be seen."""
    given = environment.get("GIT_DIR")
    if given:
        return cwd / given
    if (cwd / ".git").is_dir():
        return cwd / ".git"
    return Path(one_line(ask(["rev-parse", "--absolute-git-dir"], environment, cwd)))


def _against(revision: str, environment: Mapping[str, str], cwd: Path) -> set[bytes]:
    """Return the paths in which the index differs from a commit; all of them before the first."""
    arguments = ["diff-index", "--cached", *_DIFF]
    done = try_ask([*arguments, revision, "--"], environment, cwd)
    if done.returncode != 0 and _unborn(environment, cwd):
        empty = one_line(ask(["hash-object", "-t", "tree", "--stdin"], environment, cwd))
        done = try_ask([*arguments, empty, "--"], environment, cwd)
    if done.returncode != 0:
        raise failure("diff-index", done.stderr, done.returncode)
    return {path for path, _ in _entries(done.stdout)}


def _unborn(environment: Mapping[str, str], cwd: Path) -> bool:
    """Whether the branch has no commit yet."""
    return try_ask(["rev-parse", "-q", "--verify", "HEAD"], environment, cwd).returncode == 1


def _merged_heads(git_dir: Path) -> list[str]:
    """Return the other parents of the merge that the commit concludes."""
    try:
        return (git_dir / "MERGE_HEAD").read_text(encoding="ascii").split()
    except FileNotFoundError:
        return []


def _entries(raw: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield (path, commit) from `--raw -z` output; the commit is "" where none is named.

    A field is a commit's id, or begins with one colon a parent and is followed by its path.
    """
    fields = iter(raw.split(b"\0")[:-1])
    commit = ""
    for field in fields:
        if not field.startswith(b":"):
            commit = field.decode("ascii")
            continue
        modes = field.lstrip(b":").split(b" ")[: _parents(field) + 1]
        path = next(fields)
        yield (path + b"/" if _SUBMODULE in modes else path), commit


def _parents(field: bytes) -> int:
    return len(field) - len(field.lstrip(b":"))


def _ends(lines: bytes) -> tuple[list[str], list[str]]:
    """Return the ids a push sends, and those the remote's refs have; deleted refs send nothing."""
    wanted: list[str] = []
    known: list[str] = []
    for line in lines.decode("utf-8", "surrogateescape").splitlines():
        words = line.rsplit(" ", 3)
        if len(words) != 4:
            continue
        _, local, _, there = words
        if local.strip("0"):
            wanted.append(local)
            if there.strip("0"):
                known.append(there)
    return wanted, known


def _is_remote_name(remote: str) -> bool:
    """Whether pre-push was given a configured remote: for others git passes the URL as name."""
    return bool(remote) and not any(character in remote for character in "/:*?[\\")


def _commit_times(listed: bytes) -> dict[str, datetime]:
    pairs = (line.split(" ") for line in listed.decode("ascii").splitlines())
    return {oid: datetime.fromtimestamp(int(seconds), UTC) for seconds, oid in pairs}


def _newest(shown: bytes, times: Mapping[str, datetime]) -> dict[bytes, datetime]:
    newest: dict[bytes, datetime] = {}
    for path, commit in _entries(shown):
        when = times[commit]
        newest[path] = max(when, newest.get(path, when))
    return newest
