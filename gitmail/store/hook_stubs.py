"""The store's own git hooks: small sh files that start one absolute interpreter.

`-I` keeps the pusher's environment and working folder out of the interpreter's module path. When
the interpreter is gone the push is refused with a sentence that names the command that mends it.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

from gitmail.store.pushing import PUSH

STORE_HOOKS = ("pre-receive", "post-receive")


_LETS_WRITERS_WAIT = (
    f"(: > gitmail/{PUSH}) 2> /dev/null  # writers let this push pass; we run in .git\n"
)


def stub(hook: str, interpreter: str) -> str:
    """Return the text of one store hook; `hook` is one of STORE_HOOKS."""
    quoted = shlex.quote(interpreter)
    module = hook.replace("-", "_")
    return (
        "#!/bin/sh\n"
        "# Written by gitmail; `gitmail init` writes it again.\n"
        f"python={quoted}\n"
        'if [ ! -x "$python" ]; then\n'
        '  echo "gitmail: $python is gone, so this push cannot be checked." >&2\n'
        '  echo "gitmail: run \\`gitmail init\\` in the project once, then push again." >&2\n'
        "  exit 1\n"
        "fi\n"
        f"{_LETS_WRITERS_WAIT if hook == 'pre-receive' else ''}"
        f'exec "$python" -I -m gitmail_hooks.{module}\n'
    )


def write_hooks(git_dir: Path, interpreter: str) -> None:
    """Write the store's hooks, executable, each replaced in one step."""
    folder = git_dir / "hooks"
    folder.mkdir(exist_ok=True)
    for hook in STORE_HOOKS:
        temporary = folder / f".{hook}.{os.getpid()}"
        temporary.write_text(stub(hook, interpreter), encoding="utf-8")
        temporary.chmod(0o755)
        os.replace(temporary, folder / hook)


def hook_problems(git_dir: Path) -> list[str]:
    """Say which hooks are missing or cannot be executed; three system calls when all is well."""
    problems = []
    for hook in STORE_HOOKS:
        try:
            mode = os.stat(git_dir / "hooks" / hook).st_mode
        except FileNotFoundError:
            problems.append(f"the store's {hook} hook is missing")
            continue
        if not stat.S_ISREG(mode) or not mode & stat.S_IXUSR:
            problems.append(f"the store's {hook} hook is not executable")
    return problems
