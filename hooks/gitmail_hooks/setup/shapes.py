"""Which files each host reads, and what gitmail keeps in them.

From the hosts' own references. Exec form (`args`) where a host has it, one quoted command line
elsewhere. Times are what the host waits before it gives up on a hook, in its own unit: seconds,
for Gemini CLI milliseconds. Cursor's reference and its users differ about the unit, so its
default stands.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gitmail_hooks.hosts import EVENT_WORDS, EventKind, adapter
from gitmail_hooks.setup.members import SERVER_NAME, HookMember, Members

Scope = Literal["project", "user"]

HOOK_SECONDS = 10
REWAKE_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One file of a host: its path below the project's top or the home, and gitmail's members.

    `toml` marks Codex's own settings, which hold only the server.
    """

    path: str
    members: Members
    toml: bool = False


def config_files(
    host: str, scope: Scope, command: Sequence[str], rewake: bool
) -> tuple[ConfigFile, ...]:
    """Return the files that `gitmail setup HOST` keeps, in the order they are shown.

    `command` is the program and the arguments before gitmail's own. With `rewake` the host's stop
    hook is kept as well. `host` is one of gitmail_hooks.hosts.HOSTS.
    """
    builder = {
        "claude": _claude,
        "codex": _codex,
        "gemini": _gemini,
        "cursor": _cursor,
        "vscode": _vscode,
    }[host]
    return builder(scope, tuple(command), rewake)


def _claude(scope: Scope, command: tuple[str, ...], rewake: bool) -> tuple[ConfigFile, ...]:
    servers = ".mcp.json" if scope == "project" else ".claude.json"
    server = {"type": "stdio"} | _server(command)
    return (
        ConfigFile(servers, _servers("claude", "mcpServers", server)),
        ConfigFile(".claude/settings.json", _hooks("claude", command, rewake, grouped=True)),
    )


def _codex(scope: Scope, command: tuple[str, ...], rewake: bool) -> tuple[ConfigFile, ...]:
    del scope  # the same folder below the project's top and below the home
    server = _servers("codex", "mcp_servers", _server(command))
    return (
        ConfigFile(".codex/config.toml", server, toml=True),
        ConfigFile(".codex/hooks.json", _hooks("codex", command, rewake, grouped=True)),
    )


def _gemini(scope: Scope, command: tuple[str, ...], rewake: bool) -> tuple[ConfigFile, ...]:
    del scope  # the same folder below the project's top and below the home
    hooks = _hooks("gemini", command, rewake, grouped=True)
    members = Members(
        "gemini", ("mcpServers", SERVER_NAME), _server(command), hooks.hooks, hooks.constants
    )
    return (ConfigFile(".gemini/settings.json", members),)


def _cursor(scope: Scope, command: tuple[str, ...], rewake: bool) -> tuple[ConfigFile, ...]:
    del scope  # the same folder below the project's top and below the home
    return (
        ConfigFile(".cursor/mcp.json", _servers("cursor", "mcpServers", _server(command))),
        ConfigFile(".cursor/hooks.json", _hooks("cursor", command, rewake, grouped=False)),
    )


def _vscode(scope: Scope, command: tuple[str, ...], rewake: bool) -> tuple[ConfigFile, ...]:
    hooks = _hooks("vscode", command, rewake, grouped=False)
    server = {"type": "stdio"} | _server(command)
    if scope == "project":
        return (
            ConfigFile(".vscode/mcp.json", _servers("vscode", "servers", server)),
            ConfigFile(".github/hooks/gitmail.json", hooks),
        )
    return (
        ConfigFile(
            ".copilot/mcp-config.json",
            _servers("vscode", "mcpServers", server | {"tools": ["*"]}),
        ),
        ConfigFile(".copilot/hooks/gitmail.json", hooks),
    )


def _server(command: tuple[str, ...]) -> dict[str, Any]:
    """Return what every host calls a stdio server."""
    return {"command": command[0], "args": [*command[1:], "serve"]}


def _servers(host: str, key: str, server: dict[str, Any]) -> Members:
    """Return the members of a file that holds servers under `key`."""
    return Members(host, (key, SERVER_NAME), server)


def _hooks(host: str, command: tuple[str, ...], rewake: bool, *, grouped: bool) -> Members:
    """Return the members of a file that holds hooks: one for each event that can say something."""
    module = adapter(host)
    hooks = tuple(
        HookMember(
            ("hooks", module.EVENT_NAMES[kind]),
            _hook_item(host, word, kind, command, grouped),
            word,
            grouped,
        )
        for word, kind in EVENT_WORDS.items()
        if kind in module.CARRIES and (kind != "stop" or rewake)
    )
    constants = (("version", 1),) if host == "cursor" else ()
    return Members(host, hooks=hooks, constants=constants)


def _hook_item(
    host: str, word: str, kind: EventKind, command: tuple[str, ...], grouped: bool
) -> dict[str, Any]:
    """Return one hook in its host's form."""
    words = [*command, "hook", host, word, *(["--rewake"] if kind == "stop" else [])]
    seconds = REWAKE_SECONDS if kind == "stop" else HOOK_SECONDS
    if host == "cursor":
        return {"command": shlex.join(words)}
    if host == "claude":
        hook = {"type": "command", "command": words[0], "args": words[1:], "timeout": seconds}
    else:
        timeout = seconds * 1000 if host == "gemini" else seconds
        hook = {"type": "command", "command": shlex.join(words), "timeout": timeout}
    return {"hooks": [hook]} if grouped else hook
