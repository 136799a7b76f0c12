"""A store reduced to its repository: enough of the write path to try the git layer with.

Also a program, for tests that need real processes:
    tiny_store.py commit GIT_DIR NAME [--kill-at STEP] [--no-links]
    tiny_store.py storm GIT_DIR WHO COUNT [--no-links]
    tiny_store.py create PATH [--die]
    tiny_store.py tour PATH
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from gitmail.git import maintain, refs, repository, steps, walk
from gitmail.git.commits import Person, build_commit
from gitmail.git.loose import LooseWriter
from gitmail.git.objects import ObjectReader
from gitmail.git.trees import change_tree

BLUE_LAKE = Person("BlueLake", "bluelake@gitmail.invalid")
NOW = 1_796_000_000


def make_store(path: Path) -> Path:
    """Create a store with one commit; return its repository."""
    repository.create(path, lambda top: write_first(repository.git_dir_of(top)))
    return repository.git_dir_of(path)


def write_first(git_dir: Path) -> None:
    tmp_dir(git_dir).mkdir(exist_ok=True)
    write(git_dir, {"README.md": b"what this is\n"}, "start: a store")


def tmp_dir(git_dir: Path) -> Path:
    return repository.private_dir(git_dir) / "tmp"


def prepare(
    git_dir: Path, files: Mapping[str, bytes | None], message: str
) -> tuple[str | None, str]:
    """Write the objects of a commit; return (main before, the commit)."""
    with ObjectReader(git_dir) as reader, LooseWriter(git_dir) as writer:
        main = refs.read_main(git_dir)
        root = reader.commit(main).tree if main else None
        blobs = {
            path: writer.add("blob", data) if data is not None else None
            for path, data in files.items()
        }
        data = build_commit(
            tree=change_tree(reader, writer, root, blobs),
            parents=[main] if main else [],
            author=BLUE_LAKE,
            author_time=NOW,
            committer=BLUE_LAKE,
            committer_time=NOW,
            message=message,
        )
        commit = writer.add("commit", data)
        writer.flush()
    return main, commit


def advance(git_dir: Path, main: str | None, commit: str, wait: float = 3.0) -> None:
    refs.advance_main(
        git_dir,
        tmp_dir(git_dir),
        expected=main,
        new=commit,
        who=BLUE_LAKE,
        time=NOW,
        reason="mail: test",
        wait=wait,
    )


def write(git_dir: Path, files: Mapping[str, bytes | None], message: str = "mail: test") -> str:
    """Commit `files`, again whenever main moved in between."""
    while True:
        main, commit = prepare(git_dir, files, message)
        try:
            advance(git_dir, main, commit, wait=30.0)
        except refs.MainMoved:
            continue
        return commit


def git(git_dir: Path, *args: str) -> str:
    """Run plain git on the repository, as a person would."""
    line = ["git", f"--git-dir={git_dir}", *args]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout.strip()


def assert_sound(git_dir: Path) -> None:
    """Plain git finds nothing wrong, and nothing of ours lies about."""
    done = subprocess.run(
        ["git", f"--git-dir={git_dir}", "fsck", "--strict", "--full"],
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stdout + done.stderr).splitlines()
    lines = [line for line in said if not line.startswith(("dangling", "notice"))]
    assert (done.returncode, lines) == (0, [])


def without_links() -> None:
    """Behave like a file system that has no hard links."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    os.link = refuse


def run_child(*args: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-W", "error", __file__, *args]
    return subprocess.run(line, capture_output=True, text=True, check=False, env=child_env(env))


def start_child(*args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, *args], env=child_env(None))


def child_env(env: Mapping[str, str] | None) -> dict[str, str]:
    return dict(os.environ if env is None else env) | {"PYTHONPATH": os.pathsep.join(sys.path)}


def tour(path: Path) -> None:
    """Make a store and use every module once, as if no entry point had cleaned the environment.

    History is left out: GitPython itself reads variables, so it stands on the cleaned one.
    """
    git_dir = make_store(path)
    write(git_dir, {"mail/A/inbox/1.md": b"one\n"})
    assert maintain.pack_loose(git_dir, 30).outcome == "packed"
    write(git_dir, {"mail/A/inbox/1.md": None, "mail/A/archive/1.md": b"one\n"})
    assert len(list(walk.walk(git_dir, None, "refs/heads/main"))) == 3
    with ObjectReader(git_dir) as reader:
        first = walk.resolve_commit(git_dir, "main~2")
        assert reader.commit(first).parents == ()
    assert repository.check_config(git_dir) == []


def _die(top: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(args: list[str]) -> None:
    verb, path = args[0], Path(args[1])
    if "--no-links" in args:
        without_links()
    if verb == "commit":
        if "--kill-at" in args:
            steps.arm(args[args.index("--kill-at") + 1])
        write(path, {f"mail/A/inbox/{args[2]}.md": args[2].encode()})
    elif verb == "storm":
        for number in range(int(args[3])):
            write(path, {f"mail/{args[2]}/inbox/{number}.md": f"{args[2]} {number}".encode()})
    elif verb == "create":
        if "--die" in args:
            repository.create(path, _die)
        print(repository.create(path, lambda top: write_first(repository.git_dir_of(top))))
    elif verb == "tour":
        tour(path)


if __name__ == "__main__":
    main(sys.argv[1:])
