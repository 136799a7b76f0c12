"""A commit that is meant to fail: a player touches what another has reserved, and is stopped."""

from __future__ import annotations

from typing import Any

from gitmail.demo.failure import DemoFailed
from gitmail.demo.script import Player
from gitmail.demo.stage import Stage
from gitmail.git.code_git import try_ask

_STOPPED = "is stopped"


def blocked_commit(stage: Stage, player: Player, path: str) -> dict[str, Any]:
    """Change `path` in the player's checkout, try to commit it, and put it back.

    Returns the lines that git printed, as `said`. Raises DemoFailed when the commit went through
    or failed for another reason than the guard's.
    """
    folder = stage.checkout(player)
    environment = {**stage.environment, "GITMAIL_AGENT": player.name}
    file = folder / path
    before = file.read_bytes()
    file.write_bytes(before + b"\n# A hasty change.\n")
    try:
        done = try_ask(["commit", "-q", "-m", "Hasty", "--", path], environment, folder)
    finally:
        file.write_bytes(before)
    said = done.stderr.decode(errors="replace")
    if done.returncode == 0 or _STOPPED not in said:
        raise DemoFailed(f"The guard did not stop the commit: {said.strip() or 'it went through'}")
    return {"said": [line.strip() for line in said.splitlines()], "screen": said.splitlines()}
