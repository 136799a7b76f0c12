"""What a person at a shell does for agents: tokens for HTTP, and retiring."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from server_desk import BLUE, GREEN, Project, environment

from gitmail.board.credentials import Credentials


def _gitmail(project: Project, *words: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "gitmail", *words, "--json"],
        cwd=project.path,
        env=environment(),
        capture_output=True,
        text=True,
    )
    return done.returncode, json.loads(done.stdout or done.stderr)


def test_a_person_issues_and_revokes_an_agents_tokens(project: Project) -> None:
    code, issued = _gitmail(project, "token", BLUE.lower())
    assert (code, issued["agent"]) == (0, BLUE)
    with project.open() as store:
        credentials = Credentials(store.private)
        assert credentials.accepts(BLUE, issued["registration_token"])
        assert not credentials.accepts(GREEN, issued["registration_token"])
        assert _gitmail(project, "token", BLUE, "--revoke")[0] == 0
        assert credentials.owner(issued["registration_token"]) is None
    assert _gitmail(project, "token", "Nobody")[0] != 0


def test_a_person_retires_an_agent_and_takes_it_back(project: Project) -> None:
    assert _gitmail(project, "retire", GREEN)[0] == 0
    code, refused = _gitmail(project, "send", GREEN, "-s", "Hi", "-m", "There?")
    assert (code != 0, refused["error"]) == (True, "recipient_retired")
    assert _gitmail(project, "retire", GREEN, "--undo")[0] == 0
    assert _gitmail(project, "send", GREEN, "-s", "Hi", "-m", "There?")[0] == 0
