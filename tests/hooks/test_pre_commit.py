"""The real pre-commit and prek run the hooks of .pre-commit-hooks.yaml, built from this repository.

They install from a package index, so this is a storm; without an index it is skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, caller, make_store, opened

from gitmail.reservations.reserve import Request, reserve

pytestmark = [pytest.mark.storm, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `pre-commit` and, where it installs, `prek`."""
    folder = tmp_path_factory.mktemp("programs") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    for package in ("pre-commit", "prek"):
        done = subprocess.run(
            [folder / "bin" / "pip", "install", "--quiet", package], capture_output=True, text=True
        )
        if done.returncode != 0 and package == "pre-commit":
            pytest.skip(f"pre-commit cannot be installed here: {done.stderr[-200:]}")
    return folder / "bin"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository at its last commit, as a framework would fetch it."""
    clone = tmp_path_factory.mktemp("source") / "gitmail"
    done = subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("these tests do not run from a git checkout")
    return clone


@pytest.fixture
def leased(code, tmp_path_factory: pytest.TempPathFactory):
    """A repository in which BlueLake holds `src/**` and GreenCastle has staged a change of it."""
    with opened(make_store(code.top / ".git" / "gitmail")) as store:
        reserve(store, caller(BLUE), Request(("src/**",), reason="Reworking the login"))
    cache = tmp_path_factory.getbasetemp() / "framework-cache"
    code.environment |= {
        "GITMAIL_AGENT": GREEN,
        "PRE_COMMIT_HOME": str(cache),
        "PREK_HOME": str(cache / "prek"),
    }
    code.write("src/a.py", "mine\n")
    code.git("add", "-A")
    return code


def run(code, *command: object) -> tuple[int, str]:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=code.top,
        env=code.environment,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def configure(code, source: Path) -> None:
    head = subprocess.run(
        ["git", "-C", str(source), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    code.write(
        ".pre-commit-config.yaml",
        f"repos:\n- repo: {source}\n  rev: {head}\n  hooks:\n  - id: gitmail-guard\n"
        "default_install_hook_types: [pre-commit, pre-push]\n",
    )
    code.git("add", ".pre-commit-config.yaml")


def test_try_repo_runs_both_hooks(leased, programs: Path, source: Path) -> None:
    try_repo = (programs / "pre-commit", "try-repo", source)
    status, said = run(leased, *try_repo, "gitmail-guard", "--verbose")
    assert status == 1, said
    assert "Reworking the login" in said
    status, said = run(leased, *try_repo, "gitmail-check", "--files", "src/b.py")
    assert status == 1, said
    assert "BlueLake holds src/**" in said
    status, said = run(leased, *try_repo, "gitmail-check", "--files", "docs/x.md")
    assert status == 0, said


@pytest.mark.parametrize("program", ["pre-commit", "prek"])
def test_installed_it_stops_the_commit_and_the_push(
    leased, programs: Path, source: Path, program: str, tmp_path: Path
) -> None:
    if not (programs / program).exists():
        pytest.skip(f"{program} cannot be installed here")
    configure(leased, source)
    status, said = run(leased, programs / program, "install")
    assert status == 0, said
    status, said = run(leased, "git", "commit", "-m", "x")
    assert status == 1, said
    assert "this commit is stopped" in said
    leased.git("commit", "-q", "--no-verify", "-m", "on purpose")
    leased.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    leased.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    status, said = run(leased, "git", "push", "origin", "main")
    assert status == 1, said
    assert "this push is stopped" in said
    leased.environment["GITMAIL_AGENT"] = BLUE
    status, said = run(leased, "git", "push", "origin", "main")
    assert status == 0, said
