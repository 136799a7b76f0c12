"""gitmail's members in a host's JSON file: put in, brought up to date, found, taken out.

What is ours is told by its shape, so that it is found again whatever the command is called: the
server named `gitmail` whose arguments end in `serve`, and hooks whose command ends in
`hook HOST EVENT`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gitmail.errors import Refused
from gitmail_hooks.setup import splice
from gitmail_hooks.setup.jsonc import Node, line_of
from gitmail_hooks.setup.splice import Path

SERVER_NAME = "gitmail"


@dataclass(frozen=True, slots=True)
class HookMember:
    """One hook: the array it stands in, the item gitmail adds there, and its EVENT word.

    `grouped` hosts keep hooks in groups: the array's item is `{"hooks": [hook, …]}`.
    """

    path: Path
    item: dict[str, Any]
    event: str
    grouped: bool


@dataclass(frozen=True, slots=True)
class Members:
    """Everything gitmail keeps in one JSON file of `host`.

    `server_path` ends in the server's name, () when the file holds no servers. `server` is None
    when there is none to add. `constants` are members the host asks of any such file; they are
    added when missing and never changed or taken out.
    """

    host: str
    server_path: Path = ()
    server: dict[str, Any] | None = None
    hooks: tuple[HookMember, ...] = ()
    constants: tuple[tuple[str, Any], ...] = ()


def install(text: str, members: Members, file: str) -> str:
    """Return `text` with all `members` in it; the same text when they already are.

    Raises JsoncError, and Refused (server_name_taken) when another server has gitmail's name.
    """
    if not text:
        text = "{}\n"
    for key, value in members.constants:
        if splice.find(text, (key,)) is None:
            text = splice.set_member(text, (key,), value)
    if members.server is not None:
        text = _install_server(text, members.server_path, members.server, file)
    for hook in members.hooks:
        text = _install_hook(text, members.host, hook)
    return text


def _install_server(text: str, path: Path, server: dict[str, Any], file: str) -> str:
    """Return the text with the server added, or its command brought up to date."""
    present = splice.find(text, path)
    if present is None:
        return splice.set_member(text, path, server)
    if not is_our_server(present.value()):
        raise name_taken(file, line_of(text, present.start))
    for key in ("command", "args"):
        text = splice.set_member(text, (*path, key), server[key])
    return text


def name_taken(file: str, line: int) -> Refused:
    """Return the error for a server of gitmail's name that gitmail did not write."""
    return Refused(
        "server_name_taken",
        f"{file}:{line} already has a server named {SERVER_NAME!r} that does not run gitmail.",
        "Rename that server, or add gitmail to this file by hand.",
        file=file,
        line=line,
    )


def _install_hook(text: str, host: str, hook: HookMember) -> str:
    """Return the text with the hook added, or its command brought up to date."""
    present = list(_our_items(text, host, hook))
    if not present:
        return splice.append_item(text, hook.path, hook.item)
    wanted = hook.item["hooks"][0] if hook.grouped else hook.item
    for path in present:
        for key in ("command", "args"):
            if key in wanted:
                text = splice.set_member(text, (*path, key), wanted[key])
    return text


def present_members(text: str, wanted: Members) -> Members:
    """Return what of `wanted` (by place, whatever the command) is in `text`, as it stands there."""
    server = splice.find(text, wanted.server_path) if wanted.server_path else None
    value = server.value() if server is not None else None
    hooks = [
        replace(hook, item=_value(text, path[:-2] if hook.grouped else path))
        for hook in wanted.hooks
        for path in _our_items(text, wanted.host, hook)
    ]
    return replace(wanted, server=value if is_our_server(value) else None, hooks=tuple(hooks))


def uninstall(text: str, wanted: Members) -> str:
    """Return `text` without gitmail's members, and without the containers this leaves empty."""
    for hook in wanted.hooks:
        for path in reversed(list(_our_items(text, wanted.host, hook))):
            text = _remove_upwards(text, path)
    if present_members(text, wanted).server is not None:
        text = _remove_upwards(text, wanted.server_path)
    return text


def _remove_upwards(text: str, path: Path) -> str:
    """Return the text without the entry at `path` and each container this leaves hollow."""
    text = splice.remove(text, path)
    while len(path) > 1 and _is_hollow(text, path[:-1]):
        path = path[:-1]
        text = splice.remove(text, path)
    return text


def _is_hollow(text: str, path: Path) -> bool:
    """Say whether a container holds not even a comment, or is a group that lost its hooks."""
    node = splice.find(text, path)
    assert node is not None
    lost_hooks = isinstance(path[-1], int) and node.member("hooks") is None
    return lost_hooks or not text[node.start + 1 : node.end - 1].strip()


def _our_items(text: str, host: str, hook: HookMember) -> Iterator[Path]:
    """Yield the path of each of gitmail's own hooks for one event, in order."""
    array = splice.find(text, hook.path)
    for index, entry in enumerate(array.items if array is not None else ()):
        if not hook.grouped:
            if is_our_hook(entry.value(), host, hook.event):
                yield (*hook.path, index)
            continue
        inner = entry.member("hooks")
        for place, item in enumerate(_items(inner)):
            if is_our_hook(item.value(), host, hook.event):
                yield (*hook.path, index, "hooks", place)


def _items(node: Node | None) -> tuple[Node, ...]:
    """Return an array's items, none for anything else."""
    return node.items if node is not None else ()


def _value(text: str, path: Path) -> Any:
    """Return the plain value at `path`."""
    node = splice.find(text, path)
    return None if node is None else node.value()


def is_our_server(value: Any) -> bool:
    """Say whether a server entry runs `… serve`."""
    if not isinstance(value, dict):
        return False
    arguments = value.get("args")
    return isinstance(arguments, list) and arguments[-1:] == ["serve"]


def is_our_hook(value: Any, host: str, event: str) -> bool:
    """Say whether a hook runs `… hook HOST EVENT`, as one command line or with `args`."""
    if not isinstance(value, dict):
        return False
    command, arguments = value.get("command"), value.get("args")
    if not isinstance(command, str):
        return False
    try:
        words = arguments if isinstance(arguments, list) else shlex.split(command)
    except ValueError:
        return False
    if words[-1:] == ["--rewake"]:
        words = words[:-1]
    return words[-3:] == ["hook", host, event]
