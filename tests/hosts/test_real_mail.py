"""A real host, the real gitmail, and a letter: what the model is told at each event.

Runs where `make hosts` has installed the hosts, as test_real_hosts.py does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_model import FakeModel
from test_real_hosts import Machine, arguments_for

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def gitmail(machine: Machine, *arguments: str) -> str:
    """Run the real command line as the person of the machine."""
    done = subprocess.run(
        [sys.executable, "-m", "gitmail", *arguments],
        cwd=machine.project,
        env={**os.environ, "HOME": str(machine.home)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_the_model_is_told_of_a_waiting_letter_at_the_start_and_not_again(
    machine: Machine, host: str
) -> None:
    if shutil.which(host, path=os.environ.get("HOST_PROGRAMS", "")) is None:
        pytest.skip(f"{host} is not installed; see tests/hosts/install_hosts.sh")
    if host == "gemini":
        chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (machine.home / ".gemini").mkdir()
        (machine.home / ".gemini/settings.json").write_text(json.dumps(chosen))
        trusted = {str(machine.project): "TRUST_FOLDER"}
        (machine.home / ".gemini/trustedFolders.json").write_text(json.dumps(trusted))
    gitmail(machine, "init")
    gitmail(machine, "register", "BlueLake")
    gitmail(machine, "register", "GreenCastle")
    body = "Nobody is to see this before it is opened."
    gitmail(machine, "send", "BlueLake", "--as", "GreenCastle", "-s", "Look at this", "-m", body)
    gitmail(machine, "setup", host, "--user")
    gitmail(machine, "setup", host, "--agent", "BlueLake")
    gitmail(machine, "setup", host, "--user", "--undo")
    with FakeModel() as model:
        arguments, environment = arguments_for(host, model.url)
        output = machine.run(host, *arguments, **environment)
    assert model.asked, output
    assert "mailbox is BlueLake" in model.asked[0], output
    assert "Look at this" in model.asked[0]
    for turn in model.asked:
        assert body not in turn
        assert turn.count("1 letter waits in it") == 1
        assert "new letter" not in turn
