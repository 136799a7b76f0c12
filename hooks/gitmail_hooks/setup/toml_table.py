"""gitmail's table in Codex's `config.toml`, added and taken out as text.

A table can always be appended to a TOML file, so nothing else is touched. Every change is read
back with the standard library's parser and must differ from the text before in exactly this
table; a change that does not is never made.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from gitmail.errors import Refused
from gitmail_hooks.setup.members import SERVER_NAME, is_our_server, name_taken

HEADER = f"[mcp_servers.{SERVER_NAME}]"

_ANY_HEADER = re.compile(r"^[ \t]*\[")
_OUR_HEADER = re.compile(rf"^[ \t]*\[\s*mcp_servers\s*\.\s*{SERVER_NAME}\s*[.\]]")
_BLANK_OR_COMMENT = re.compile(r"^[ \t]*(#.*)?\r?\n?$")
_ERROR_LINE = re.compile(r"at line (\d+)")


def install(text: str, command: str, arguments: list[str], file: str) -> str:
    """Return `text` with the server's table; the same text when it is there with this command.

    Raises Refused: invalid_config_file with the line, server_name_taken when another server has
    the name, config_not_editable when the file's layout allows no table here.
    """
    before = _parsed(text, file)
    wanted = {"command": command, "args": arguments}
    present = _server(before)
    if present is None:
        return _checked(_appended(text, wanted), _with_server(before, wanted), file)
    if not is_our_server(present):
        raise name_taken(file, _header_line(text))
    if {key: present.get(key) for key in wanted} == wanted:
        return text
    return _checked(_updated(text, wanted), _with_server(before, present | wanted), file)


def present_server(text: str, file: str) -> dict[str, Any] | None:
    """Return gitmail's server as the text has it, None when it has none; raises Refused."""
    present = _server(_parsed(text, file))
    return present if is_our_server(present) else None


def uninstall(text: str, file: str) -> str:
    """Return `text` without the server's table and its sub-tables; raises Refused."""
    before = _parsed(text, file)
    if not is_our_server(_server(before)):
        return text
    lines = _lines(text)
    start, end = _block(lines)
    if start > 0 and not lines[start - 1].strip():
        start -= 1
    return _checked("".join(lines[:start] + lines[end:]), _with_server(before, None), file)


def _parsed(text: str, file: str) -> dict[str, Any]:
    """Return the text's values; raises Refused with the line of the first fault."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _ERROR_LINE.search(str(error))
        line = int(found.group(1)) if found else text.count("\n") + 1
        raise Refused(
            "invalid_config_file",
            f"{file}:{line} is not valid TOML, so it was left as it is.",
            "Mend that line and run the same command again.",
            file=file,
            line=line,
            problem=str(error),
        ) from error
    if not isinstance(values.get("mcp_servers", {}), dict):
        raise _not_editable(file)
    return values


def _not_editable(file: str) -> Refused:
    """Return the error for a layout that leaves no safe place for the table."""
    return Refused(
        "config_not_editable",
        f"{file} is laid out so that the table {HEADER} cannot be changed without touching others.",
        f"Change the table {HEADER} by hand.",
        file=file,
    )


def _server(values: dict[str, Any]) -> Any:
    """Return the table of gitmail's name, None when there is none."""
    return values.get("mcp_servers", {}).get(SERVER_NAME)


def _with_server(values: dict[str, Any], server: dict[str, Any] | None) -> dict[str, Any]:
    """Return the values with gitmail's server set, or taken out; no empty table of servers."""
    servers = {k: v for k, v in values.get("mcp_servers", {}).items() if k != SERVER_NAME}
    if server is not None:
        servers[SERVER_NAME] = server
    others = {k: v for k, v in values.items() if k != "mcp_servers"}
    return others | ({"mcp_servers": servers} if servers else {})


def _checked(text: str, expected: dict[str, Any], file: str) -> str:
    """Return `text` when it reads as the `expected` values, so that nothing else was changed."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        values = None
    if values is not None and _with_server(values, _server(values)) == expected:
        return text
    raise _not_editable(file)


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; only a line feed ends one, as in TOML."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _appended(text: str, wanted: dict[str, Any]) -> str:
    """Return the text with the table after everything else."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [HEADER, *(f"{key} = {_rendered(value)}" for key, value in wanted.items()), ""]
    if text and not text.endswith("\n"):
        text += newline
    return text + (newline if text else "") + newline.join(lines)


def _updated(text: str, wanted: dict[str, Any]) -> str:
    """Return the text with the table's one-line keys set to the wanted values."""
    lines = _lines(text)
    start, end = _block(lines)
    for index in range(start, end):
        for key, value in wanted.items():
            found = re.match(rf"([ \t]*{key}[ \t]*=[ \t]*)([^\r\n]*)", lines[index])
            if found:
                ending = lines[index][found.end() :]
                lines[index] = found.group(1) + _rendered(value) + ending
    return "".join(lines)


def _block(lines: list[str]) -> tuple[int, int]:
    """Return the range of lines of the table and its sub-tables, (0, 0) when not found."""
    start = next((i for i, line in enumerate(lines) if _OUR_HEADER.match(line)), None)
    if start is None:
        return 0, 0
    end = start + 1
    while end < len(lines) and (not _ANY_HEADER.match(lines[end]) or _OUR_HEADER.match(lines[end])):
        end += 1
    while end > start and _BLANK_OR_COMMENT.match(lines[end - 1]):
        end -= 1
    return start, end


def _header_line(text: str) -> int:
    """Return the line, from 1, of the table's header, 1 when it has none of its own."""
    lines = _lines(text)
    return next((i + 1 for i, line in enumerate(lines) if _OUR_HEADER.match(line)), 1)


def _rendered(value: str | list[str]) -> str:
    """Return a string or a list of strings as TOML; JSON's escapes are TOML's."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
