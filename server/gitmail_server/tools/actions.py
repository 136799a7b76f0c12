"""Tools with an `action`: which argument belongs to which, and what the others may still hold."""

from __future__ import annotations

from collections.abc import Mapping

from gitmail.errors import InvalidInput
from gitmail_server.tool import Arguments


def refuse_other_arguments(
    tool: str, action: str, given: Arguments, belongs: Mapping[str, tuple[str, ...]]
) -> None:
    """Refuse an argument of another action, unless it holds its default: some hosts fill those in.

    `belongs` maps an argument to its actions. Raises InvalidInput `unexpected_parameter`.
    """
    fields = type(given).model_fields
    for name in sorted(given.model_fields_set, key=list(fields).index):
        actions = belongs.get(name)
        if actions is None or action in actions or getattr(given, name) == fields[name].default:
            continue
        accepted = [one for one, owners in belongs.items() if action in owners]
        raise InvalidInput(
            "unexpected_parameter",
            f"{tool} {action} has no argument {name!r}; it belongs to {' and '.join(actions)}.",
            f"Leave it out. {action} accepts: {', '.join(accepted)}.",
            parameter=name,
            belongs_to=list(actions),
            accepted=accepted,
        )


def required(tool: str, action: str, given: Arguments, name: str) -> str:
    """Return an argument that the action cannot do without.

    Raises InvalidInput `missing_parameter`.
    """
    value = getattr(given, name)
    if value is None:
        description = type(given).model_fields[name].description or ""
        raise InvalidInput(
            "missing_parameter",
            f"{tool} {action} needs the argument {name!r}.",
            f"{name}: {description}",
            parameter=name,
        )
    return str(value)
