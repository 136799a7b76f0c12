"""Nothing in the environment can point git at another repository."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
import tiny_store

from gitmail.git.environment import (
    LOCAL_VARIABLES,
    PASSED_ON,
    QUARANTINE,
    git_environment,
    strip_process_environment,
)


def _digest(folder: Path) -> dict[str, str]:
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture
def decoy(tmp_path: Path) -> Path:
    top = tmp_path / "decoy"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    (top / "file").write_text("theirs\n", encoding="utf-8")
    subprocess.run(["git", "-C", str(top), "add", "."], check=True)
    subprocess.run(["git", "-C", str(top), "commit", "-qm", "theirs"], check=True)
    return top


def _hostile(decoy: Path) -> dict[str, str]:
    git_dir = f"{decoy}/.git"
    return {
        "GIT_DIR": git_dir,
        "GIT_COMMON_DIR": git_dir,
        "GIT_WORK_TREE": str(decoy),
        "GIT_INDEX_FILE": f"{git_dir}/index",
        "GIT_OBJECT_DIRECTORY": f"{git_dir}/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{git_dir}/objects",
        "GIT_QUARANTINE_PATH": f"{git_dir}/objects",
        "GIT_NAMESPACE": "theirs",
        "GIT_CONFIG": f"{git_dir}/config",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "nonsense",
        "GIT_CONFIG_PARAMETERS": "'core.bare'='nonsense'",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_GRAFT_FILE": f"{git_dir}/HEAD",
        "GIT_SHALLOW_FILE": f"{git_dir}/HEAD",
        "GIT_PREFIX": "sub/",
        "GIT_TEMPLATE_DIR": str(decoy),
        "GIT_TRACE": "1",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_PAGER": "false",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_CEILING_DIRECTORIES": "/",
    }


@pytest.mark.parametrize("name", [*sorted(_hostile(Path("/x"))), "all"])
def test_a_git_variable_that_names_another_repository_changes_nothing_there(
    name: str, decoy: Path, tmp_path: Path
) -> None:
    hostile = _hostile(decoy)
    chosen = hostile if name == "all" else {name: hostile[name]}
    before = _digest(decoy)
    env = dict(os.environ) | chosen

    toured = tiny_store.run_child("tour", str(tmp_path / "store"), env=env)

    assert (toured.returncode, toured.stderr) == (0, "")
    assert _digest(decoy) == before
    tiny_store.assert_sound(tmp_path / "store" / ".git")


def test_every_variable_that_git_calls_local_is_known() -> None:
    named = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], check=True, capture_output=True, text=True
    )
    assert set(named.stdout.split()) <= LOCAL_VARIABLES


def test_what_says_how_to_reach_git_is_passed_on_and_the_rest_is_not() -> None:
    base = dict.fromkeys([*PASSED_ON, "GIT_SSL_CAINFO", "PATH", "HOME"], "x")
    lost = dict.fromkeys([*LOCAL_VARIABLES, *QUARANTINE, "GIT_TRACE", "GIT_NEW_IN_2030"], "x")
    made = git_environment(base | lost | {"LANGUAGE": "de"})
    assert base.items() <= made.items()
    assert not made.keys() & (lost.keys() | {"LANGUAGE"})
    assert made["LC_ALL"] == "C.UTF-8"
    assert made["GIT_OPTIONAL_LOCKS"] == made["GIT_TERMINAL_PROMPT"] == "0"


def test_quarantine_variables_are_kept_only_when_asked_for() -> None:
    base = dict.fromkeys(QUARANTINE, "x")
    assert base.items() <= git_environment(base, quarantine=True).items()
    assert not QUARANTINE & git_environment(base).keys()


def test_stripping_an_environment_returns_what_it_took() -> None:
    environ = {"GIT_DIR": ".", "GIT_SSH": "ssh", "PATH": "/bin"}
    assert strip_process_environment(environ) == {"GIT_DIR": "."}
    assert environ == {"GIT_SSH": "ssh", "PATH": "/bin"}
