"""What every test stands on: a home, a git configuration and a clock of its own.

No test may touch the user's store, home or git configuration, so the whole session runs with a
throw-away HOME and every GIT_* variable removed, also in the processes it starts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def _clean_session_environment(home: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("GIT_", "GITMAIL_", "CLAUDE", "CODEX_", "GEMINI_", "CURSOR_")):
            del os.environ[name]
    os.environ.update(
        HOME=str(home),
        XDG_CONFIG_HOME=str(home / ".config"),
        GIT_CONFIG_GLOBAL=str(home / ".gitconfig"),
        GIT_CONFIG_NOSYSTEM="1",
        LANG="C.UTF-8",
        PYTHONWARNINGS="default",
    )
    home.joinpath(".gitconfig").write_text(
        "[user]\n\tname = Pat Person\n\temail = pat@example.com\n[init]\n\tdefaultBranch = main\n",
        encoding="utf-8",
    )


@pytest.fixture(scope="session", autouse=True)
def _isolated_session() -> Iterator[None]:
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="gitmail-home-") as home:
        _clean_session_environment(Path(home))
        yield
        os.environ.clear()
        os.environ.update(before)
