"""The whole demo, with real servers and the real MCP client, as `gitmail demo` runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from gitmail.demo.sample import sample_script

ELSEWHERE = {"GIT_DIR": "/x/.git", "GIT_INDEX_FILE": "/x/i", "GITMAIL_AGENT": "Somebody"}
"""What a hook of another repository would leave in the environment."""


def test_every_step_and_check_holds_also_from_another_repositorys_hook(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gitmail.demo", "--json", "--into", str(tmp_path / "demo")]
    environ = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path)} | ELSEWHERE
    done = subprocess.run(
        command, capture_output=True, text=True, env=environ, check=False, timeout=55
    )
    summary = json.loads(done.stdout)
    assert summary["ok"] is True, summary
    assert done.returncode == 0
    assert summary["steps"] == len(sample_script().steps)
    assert Path(summary["store"]).is_dir()
    assert Path(summary["worktree"]).is_dir()
