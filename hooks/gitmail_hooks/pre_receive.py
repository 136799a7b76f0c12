"""The store's pre-receive hook: what a push may bring (docs/format.md; git help githooks).

Reads `old new ref` lines from git. The only ref is main, it only grows, and every commit keeps the
store's rules; otherwise the push is refused with a sentence each, and git drops its quarantine, so
no object stays behind. Started with `python -I`, sees the push's objects through git's quarantine
variables and nothing else of the pusher's environment.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from gitmail.errors import GitmailError
from gitmail.git import walk
from gitmail.git.environment import strip_process_environment
from gitmail.git.objects import ObjectReader
from gitmail.git.refs import MAIN, read_main
from gitmail.store.checks import check_push
from gitmail.store.location import NOBODY
from gitmail.store.private import PrivateState
from gitmail.store.pushing import push_is_over
from gitmail.store.store import Store, system_clock

_SHOWN = 10
_ZERO = "0" * 40


def main() -> None:
    """Check the push on standard input; exit 1 with sentences on stderr when it is refused."""
    git_dir = Path(os.environ.get("GIT_DIR") or ".").resolve()
    strip_process_environment(os.environ, quarantine=True)
    with suppress(GitmailError, OSError), Store(git_dir.parent, NOBODY) as store:
        store.repair_leftovers()  # git is about to take main.lock: a dead writer's must be gone
    try:
        problems = [
            problem
            for line in sys.stdin.read().splitlines()
            for problem in check_line(git_dir, line)
        ]
    except GitmailError as error:
        problems = [error.message]
    if problems:
        push_is_over(PrivateState.of_store(git_dir.parent))
        _refuse(problems)


def check_line(git_dir: Path, line: str) -> list[str]:
    """Return what is wrong with one `old new ref` line of a push."""
    old, new, ref = line.split(" ", 2)
    if ref != MAIN:
        return [f"{ref}: a store has one branch, main; push to main"]
    if new == _ZERO:
        return ["main cannot be deleted"]
    if old == _ZERO:
        return ["this store has no main; run `gitmail doctor --fix`"]
    if read_main(git_dir) != old:
        return ["main moved while this was being pushed: pull and push again"]
    if not walk.is_ancestor(git_dir, old, new, quarantine=True):
        return ["main only grows: pull first, then push (a rewritten main is refused)"]
    with ObjectReader(git_dir, quarantine=True) as reader:
        return check_push(git_dir, reader, old, new, system_clock())


def _refuse(problems: list[str]) -> None:
    for problem in problems[:_SHOWN]:
        print(f"gitmail: {_plain(problem)}", file=sys.stderr)
    if len(problems) > _SHOWN:
        print(f"gitmail: … and {len(problems) - _SHOWN} more", file=sys.stderr)
    raise SystemExit(1)


def _plain(text: str) -> str:
    from gitmail.values.text import visible

    return visible(text)


if __name__ == "__main__":
    main()
