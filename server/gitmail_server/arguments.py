"""Arguments in: one strict reading of what a host sent, one sentence for what is wrong with it.

Types are strict (`true`, `"5"` and `5.0` are not the integer 5), `null` means not given, unknown
names are refused with the accepted ones and the nearest (contract: one mailbox, shapes common to
all tools). The published schema is plain: no titles, no `anyOf` with null.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from gitmail.errors import InvalidInput
from gitmail_server.tool import Arguments, Tool

A = TypeVar("A", bound=Arguments)

_SHOWN = 80


def read_arguments(tool: Tool[A], given: dict[str, Any]) -> A:
    """Return the tool's arguments, checked.

    Raises InvalidInput `unknown_parameter`, `missing_parameter` or `invalid_<argument>`.
    """
    present = {name: value for name, value in given.items() if value is not None}
    _refuse_unknown(tool, present)
    try:
        return tool.arguments.model_validate(present)
    except ValidationError as error:
        raise _first_problem(tool, present, error) from None


def _refuse_unknown(tool: Tool[A], given: dict[str, Any]) -> None:
    accepted = list(tool.arguments.accepted())
    for name in given:
        if name not in accepted:
            near = difflib.get_close_matches(name, accepted, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]!r}?" if near else "See the tool's description."
            raise InvalidInput(
                "unknown_parameter",
                f"{tool.name} has no argument {name[:_SHOWN]!r}.",
                f"{hint} Accepted: {', '.join(accepted)}.",
                parameter=name[:_SHOWN],
                accepted=accepted,
                **({"nearest": near[0]} if near else {}),
            )


def _first_problem(tool: Tool[A], given: dict[str, Any], error: ValidationError) -> InvalidInput:
    found = error.errors(include_url=False)[0]
    name = str(found["loc"][0])
    if found["type"] == "missing":
        return InvalidInput(
            "missing_parameter",
            f"{tool.name} needs the argument {name!r}.",
            describe(tool, name),
            parameter=name,
        )
    value = json.dumps(given.get(name), default=str)
    shown = value if len(value) <= _SHOWN else value[:_SHOWN] + "..."
    return InvalidInput(
        tool.arguments.codes.get(name, f"invalid_{name}"),
        f"{tool.name}: {name} is {shown}; {_wanted(found['msg'])}.",
        _nearest(given.get(name), found.get("ctx", {})) or describe(tool, name),
        parameter=name,
    )


def _wanted(message: str) -> str:
    return message[0].lower() + message[1:]


def _nearest(value: Any, context: Mapping[str, Any]) -> str:
    """Return what a misspelt word of a fixed list may have meant, as a hint; "" for no idea."""
    words = re.findall(r"'([^']+)'", str(context.get("expected", "")))
    near = difflib.get_close_matches(str(value), words, n=1, cutoff=0.5)
    return f"Did you mean {near[0]!r}?" if near else ""


def describe(tool: Tool[A], name: str) -> str:
    """Return what an argument is, for hints."""
    field = tool.arguments.accepted()[name]
    return f"{name}: {field.description}." if field.description else f"See {tool.name}'s schema."


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema to publish: plain types, no titles, additional properties refused."""
    schema = arguments.model_json_schema()
    properties = {name: _plain(value) for name, value in schema.get("properties", {}).items()}
    published: dict[str, Any] = {"type": "object", "properties": properties}
    if schema.get("required"):
        published["required"] = schema["required"]
    published["additionalProperties"] = False
    return published


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop titles and the null branch of optional arguments, unless the field asks to keep it."""
    plain = {key: value for key, value in schema.items() if key not in ("title", "keep_null")}
    if schema.get("keep_null"):
        return plain
    branches = [branch for branch in plain.pop("anyOf", []) if branch.get("type") != "null"]
    if len(branches) == 1:
        plain = {**branches[0], **plain}
    elif branches:
        plain["anyOf"] = branches
    if plain.get("default", ...) is None:
        del plain["default"]
    return plain
