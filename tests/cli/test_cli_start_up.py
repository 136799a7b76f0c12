"""What a command imports: each only what it needs, because a person waits for it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gitmail_shell import Shell

import gitmail

HEAVY = ("mcp", "git", "rich", "frontmatter", "pydantic", "watchdog", "anyio", "pathspec")


def imported(code: str, cwd: Path) -> set[str]:
    """Run `code` in a fresh interpreter; returns the modules it ended up with."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(sorted(sys.modules), file=sys.stderr)"],
        cwd=cwd, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(ast.literal_eval(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "args",
    [
        ["inbox", "BlueLake"],
        ["send", "BlueLake", "-m", "x"],
        ["agents"],
        ["where"],
        ["register", "BlueLake"],
    ],
)
def test_everyday_commands_import_nothing_heavy(shop: Shell, args: list[str]) -> None:
    modules = imported(
        f"from gitmail.cli.main import run\nassert run({args!r}) == 0", cwd=shop.folder
    )
    assert not modules & set(HEAVY)
    others = {one for one in modules if one.startswith("gitmail.cli.commands.")}
    assert others == {f"gitmail.cli.commands.{args[0]}"}


def test_importing_the_package_imports_nothing_else(tmp_path: Path) -> None:
    modules = imported("import gitmail", tmp_path)
    assert not modules & {*HEAVY, "sqlite3", "subprocess", "click", "yaml", "dataclasses"}
    assert {one for one in modules if one.startswith("gitmail")} == {"gitmail"}


def test_a_command_starts_git_at_most_three_times(shop: Shell, tmp_path: Path) -> None:
    real = subprocess.run(["which", "git"], capture_output=True, text=True).stdout.strip()
    counter = tmp_path / "bin" / "git"
    counter.parent.mkdir()
    counter.write_text(f'#!/bin/sh\necho >> "{tmp_path}/count"\nexec {real} "$@"\n')
    counter.chmod(0o755)
    path = f"{counter.parent}{os.pathsep}{os.environ['PATH']}"
    for args in (("inbox", "BlueLake"), ("send", "BlueLake", "-m", "x"), ("agents",)):
        shop(*args)  # whoever comes first after a push may have to catch up
        (tmp_path / "count").unlink(missing_ok=True)
        shop(*args, env={"PATH": path})
        assert (tmp_path / "count").read_text().count("\n") <= 3, args


def test_all_names_exactly_what_is_exported() -> None:
    assert sorted(gitmail.__all__) == gitmail.__dir__()
    for name in gitmail.__all__:
        assert getattr(gitmail, name) is not None
    with pytest.raises(AttributeError):
        gitmail.nonsense  # noqa: B018
