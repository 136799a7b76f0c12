"""`python -m gitmail_server.listing > docs/tools.md`: the tools' reference, from the tools."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from gitmail_server import resources
from gitmail_server.app import COMMON_OUTPUT, listed
from gitmail_server.tool import Tool
from gitmail_server.toolsets import CORE, FULL

_HEAD = """\
# The tools

Written by `python -m gitmail_server.listing > docs/tools.md`; a test holds it against the server.
`gitmail serve` offers the core toolset, `gitmail serve --toolset full` all of it. Every result may
also hold {common}. A failure is a result with `isError` whose text and
structured content are one JSON object: `error`, `message`, `hint` and facts. Unknown arguments are
refused by name; `null` means not given; where a list of names or paths is asked for, one string
will do.
"""
_HINTS = {
    "read_only_hint": "read-only",
    "idempotent_hint": "idempotent",
    "destructive_hint": "destructive",
    "open_world_hint": "reaches others",
}


def reference() -> str:
    """Return the page as Markdown."""
    common = ", ".join(f"`{name}`" for name in COMMON_OUTPUT)
    parts = [_HEAD.format(common=common)]
    core = {tool.name for tool in CORE}
    rest = [tool for tool in FULL if tool.name not in core]
    parts.append(f"## Core ({len(CORE)})\n")
    parts += [_tool(tool) for tool in CORE]
    parts.append(f"## Full: these {len(rest)} as well\n")
    parts += [_tool(tool) for tool in rest]
    parts.append(_resources())
    return "\n".join(parts)


def _tool(tool: Tool[Any]) -> str:
    shown = listed(tool)
    hints = shown.annotations.model_dump() if shown.annotations is not None else {}
    said = [word for key, word in _HINTS.items() if hints.get(key)]
    lines = [f"### {tool.name}\n", tool.description.replace("\n", "\n\n"), ""]
    if said:
        lines += [f"*{', '.join(said)}*", ""]
    schema = shown.input_schema
    lines += ["| argument | type | default | |", "|---|---|---|---|"]
    lines += _arguments(schema["properties"], schema.get("required", []))
    results = [name for name in tool.output.get("properties", {}) if name not in COMMON_OUTPUT]
    lines += ["", f"Result: {', '.join(f'`{name}`' for name in results)}.", ""]
    return "\n".join(lines)


def _arguments(properties: Mapping[str, Any], required: list[str]) -> Iterator[str]:
    for name, schema in properties.items():
        default = "required" if name in required else _default(schema)
        text = schema.get("description", "").replace("|", "\\|")
        yield f"| {name} | {_type(schema)} | {default} | {text} |"


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    if value is None or value == [] or value == "":
        return ""
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " \\| ".join(schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    named = schema.get("type", "any")
    word = " or ".join(named) if isinstance(named, list) else str(named)
    if word == "array":
        return f"list of {_type(schema.get('items', {}))}"
    least, most = schema.get("minimum"), schema.get("maximum")
    return word if least is None or most is None else f"{word} {least}..{most}"


def _resources() -> str:
    lines = ["## Resources\n", "JSON; subscriptions work in both protocol eras.\n"]
    lines += ["| URI | |", "|---|---|"]
    lines += [f"| `{one.uri}` | {one.description} |" for one in resources.listed()]
    lines += [f"| `{one.uri_template}` | {one.description} |" for one in resources.templates()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
