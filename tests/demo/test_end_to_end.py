"""The whole demo, with real servers and the real MCP client, as `gitmail demo` runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitmail.demo.sample import sample_script
from gitmail.demo.stage import clean_environment


def serve_exists() -> bool:
    probe = [sys.executable, "-m", "gitmail", "serve", "--help"]
    environment = clean_environment(os.environ)
    return subprocess.run(probe, capture_output=True, env=environment, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not serve_exists(), reason="needs: gitmail serve")


def demo(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gitmail.demo", *arguments]
    environ = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment
    return subprocess.run(
        command, capture_output=True, text=True, env=environ, check=False, timeout=55
    )


def test_every_step_and_check_holds_and_the_folder_is_left(tmp_path: Path) -> None:
    done = demo("--json", "--into", str(tmp_path / "demo"))
    summary = json.loads(done.stdout)
    assert summary["ok"] is True, summary
    assert done.returncode == 0
    assert summary["steps"] == len(sample_script().steps)
    assert Path(summary["store"]).is_dir()
    assert Path(summary["worktree"]).is_dir()


def test_it_plays_from_inside_another_repositorys_hook(tmp_path: Path) -> None:
    elsewhere = {"GIT_DIR": "/x/.git", "GIT_INDEX_FILE": "/x/i", "GITMAIL_AGENT": "Somebody"}
    done = demo("--into", str(tmp_path / "demo"), **elsewhere)
    assert done.returncode == 0, done.stdout
    assert "all as they should be" in done.stdout
    assert str(tmp_path / "demo") in done.stdout
