"""Cursor: camel-case events, flat snake-case answers, a follow-up message at stop.

`beforeSubmitPrompt` can only let a prompt through or refuse it, so it carries no hint. The host
has no `stop_hook_active`; it counts the follow-ups of a turn in `loop_count` instead.
"""

from __future__ import annotations

from typing import Any

from gitmail_hooks.hosts import fields
from gitmail_hooks.hosts.events import EventKind, HookAnswer, HookEvent, HookOutput

HOST = "cursor"
EVENT_NAMES: dict[EventKind, str] = {
    "session_start": "sessionStart",
    "prompt": "beforeSubmitPrompt",
    "tool_used": "postToolUse",
    "stop": "stop",
}
CARRIES: frozenset[EventKind] = frozenset({"session_start", "tool_used", "stop"})


def parse(kind: EventKind, data: bytes) -> HookEvent:
    """Return the event in `data`; raises InvalidInput when what is used of it is wrong."""
    payload = fields.read_object(HOST, data)
    name = EVENT_NAMES[kind]
    fields.expect_event(HOST, payload, name, "hook_event_name")
    return HookEvent(
        host=HOST,
        kind=kind,
        host_event=name,
        session_id=fields.session_field(HOST, payload, "conversation_id", "session_id"),
        cwd=fields.text_field(HOST, payload, "cwd") or _first_root(payload),
        stop_hook_active=fields.count_field(HOST, payload, "loop_count") > 0,
    )


def _first_root(payload: dict[str, Any]) -> str:
    """Return the first workspace folder, "" when there is none."""
    roots = payload.get("workspace_roots")
    if roots is None or roots == []:
        return ""
    if not isinstance(roots, list):
        raise fields.malformed(HOST, "has workspace_roots that are not a list")
    return fields.text_field(HOST, {"workspace_roots": roots[0]}, "workspace_roots")


def render(event: HookEvent, answer: HookAnswer) -> HookOutput:
    """Return the host's form of `answer`; an empty object is silence."""
    if not answer.text.strip() or event.kind not in CARRIES:
        return HookOutput("{}\n", "", 0)
    key = "followup_message" if event.kind == "stop" else "additional_context"
    return HookOutput(fields.as_json({key: answer.text}), "", 0)
