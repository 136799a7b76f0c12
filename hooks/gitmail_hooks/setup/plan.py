"""`gitmail setup HOST`: what would change, and what a person should know besides."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence

from gitmail.errors import InvalidInput
from gitmail_hooks.hosts import HOSTS
from gitmail_hooks.setup import members, splice
from gitmail_hooks.setup.edits import FileEdit, read_file, real_path, setup_edit, undo_edits
from gitmail_hooks.setup.jsonc import JsoncError
from gitmail_hooks.setup.shapes import ConfigFile, Scope, config_files

_NOTES = {
    "claude": "Claude Code asks once before it starts a server from a project's .mcp.json.",
    "codex": "Codex reads a project's .codex folder once the project is trusted, and skips a new "
    "or changed hook until it was reviewed with /hooks.",
    "gemini": "Gemini CLI starts no server and runs no hook in a folder that is not trusted.",
    "cursor": "Cursor shows new mail at the session's start and after a tool; its prompt hook "
    "cannot add anything.",
    "vscode": "Hooks are a preview in VS Code, and an organisation may have switched them off; "
    "VS Code also runs the hooks of .claude/settings.json.",
}


def plan(
    host: str,
    scope: Scope,
    project_top: str,
    home: str,
    command: Sequence[str],
    *,
    rewake: bool = False,
) -> list[FileEdit]:
    """Return the edits that connect `host` with gitmail, none when everything is in place.

    `scope` "project" changes files below `project_top` (absolute), "user" below `home`.
    `command` starts gitmail: the program, then arguments before its own; `command.check_command`
    says whether it does. `rewake` adds the stop hook that waits for a ring.

    Raises InvalidInput (invalid_host) and Refused; nothing is written here.
    """
    top = _top(host, scope, project_top, home)
    edits = [
        setup_edit(top, config)
        for config in config_files(host, scope, command, rewake)
        if not _served_already(top, host, scope, config)
    ]
    return [edit for edit in edits if edit is not None]


def plan_undo(host: str, scope: Scope, project_top: str, home: str) -> list[FileEdit]:
    """Return the edits that take gitmail out of `host`'s files again; arguments as for `plan`."""
    top = _top(host, scope, project_top, home)
    files = config_files(host, scope, ("gitmail",), rewake=True)
    return [edit for config in files for edit in undo_edits(top, config)]


def notes(host: str) -> str:
    """Return the one sentence a person should know after setting up `host`."""
    return _NOTES[host]


def diff(edit: FileEdit) -> str:
    """Return an edit as a unified diff, for `--dry-run`; bytes that are not UTF-8 are replaced."""
    before = (edit.before or b"").decode("utf-8", "replace").splitlines(keepends=True)
    after = (edit.after or b"").decode("utf-8", "replace").splitlines(keepends=True)
    old = edit.path if edit.before is not None else os.devnull
    new = edit.path if edit.after is not None else os.devnull
    lines = difflib.unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def _top(host: str, scope: Scope, project_top: str, home: str) -> str:
    """Return the folder the host's files are in; raises InvalidInput for an unknown host."""
    if host not in HOSTS:
        raise InvalidInput(
            "invalid_host",
            f"{host!r} is not a host that gitmail knows.",
            f"Use one of: {', '.join(HOSTS)}.",
            host=host,
        )
    return project_top if scope == "project" else home


def _served_already(top: str, host: str, scope: Scope, config: ConfigFile) -> bool:
    """Say whether VS Code finds the server in a project's `.mcp.json`, which it reads as well.

    A second entry of the same name would start a second server.
    """
    if (host, scope, config.path) != ("vscode", "project", ".vscode/mcp.json"):
        return False
    data = read_file(real_path(top, ".mcp.json"))
    try:
        found = splice.find((data or b"").decode("utf-8-sig"), ("mcpServers", members.SERVER_NAME))
    except (JsoncError, UnicodeDecodeError):
        return False
    return found is not None and members.is_our_server(found.value())
