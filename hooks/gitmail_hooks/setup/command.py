"""Whether the command that is about to be written into a host's settings starts gitmail."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from gitmail.errors import Refused

TIMEOUT_SECONDS = 20


def check_command(command: Sequence[str], search_path: str | None = None) -> str:
    """Return what `command --version` prints, after finding its program and running it.

    A program without a slash is looked for on `search_path` (PATH as the host will have it; None
    is this process's own). A relative path is refused: a host starts it from another folder.

    Raises Refused (command_not_found, command_not_absolute, command_failed).
    """
    program = command[0]
    if os.sep in program and not os.path.isabs(program):
        raise _refused("command_not_absolute", f"{program!r} is a relative path.", program)
    found = shutil.which(program, path=search_path)
    if found is None:
        raise _refused(
            "command_not_found", f"{program!r} is not a program that can be run.", program
        )
    try:
        result = subprocess.run(
            [found, *command[1:], "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _refused(
            "command_failed", f"{found} --version did not run: {error}.", found
        ) from error
    if result.returncode != 0 or "gitmail" not in result.stdout:
        raise _refused(
            "command_failed",
            f"{found} --version ended with code {result.returncode} and did not name gitmail.",
            found,
        )
    return result.stdout.strip()


def _refused(code: str, message: str, program: str) -> Refused:
    """Return the error about `program`."""
    return Refused(
        code,
        message,
        "Give the absolute path of the gitmail program that the host shall start.",
        program=program,
    )
