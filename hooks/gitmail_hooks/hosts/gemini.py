"""Gemini CLI: other event names, `decision: deny` at AfterAgent, times in milliseconds.

Standard output must hold JSON and nothing else. Silence is an empty object rather than nothing:
without output the host shows the line on standard error to the person as a message.
"""

from __future__ import annotations

from gitmail_hooks.hosts import fields
from gitmail_hooks.hosts.events import EventKind, HookAnswer, HookEvent, HookOutput

HOST = "gemini"
EVENT_NAMES: dict[EventKind, str] = {
    "session_start": "SessionStart",
    "prompt": "BeforeAgent",
    "tool_used": "AfterTool",
    "stop": "AfterAgent",
}
CARRIES: frozenset[EventKind] = frozenset(EVENT_NAMES)


def parse(kind: EventKind, data: bytes) -> HookEvent:
    """Return the event in `data`; raises InvalidInput when what is used of it is wrong."""
    payload = fields.read_object(HOST, data)
    name = EVENT_NAMES[kind]
    fields.expect_event(HOST, payload, name, "hook_event_name")
    return HookEvent(
        host=HOST,
        kind=kind,
        host_event=name,
        session_id=fields.session_field(HOST, payload, "session_id"),
        cwd=fields.text_field(HOST, payload, "cwd"),
        stop_hook_active=fields.flag_field(HOST, payload, "stop_hook_active"),
        source=fields.text_field(HOST, payload, "source"),
    )


def render(event: HookEvent, answer: HookAnswer) -> HookOutput:
    """Return the host's form of `answer`."""
    if not answer.text.strip():
        return HookOutput("{}\n", "", 0)
    if event.kind == "stop":
        return HookOutput(fields.as_json({"decision": "deny", "reason": answer.text}), "", 0)
    context = {"hookEventName": event.host_event, "additionalContext": answer.text}
    return HookOutput(fields.as_json({"hookSpecificOutput": context}), "", 0)
