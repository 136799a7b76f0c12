"""Codex: the design of Claude Code with published schemas that forbid unknown keys.

Times are in seconds; context beyond 10,000 characters is cut by the host, a block needs a reason
that is not blank. Project hooks run only after the person reviewed them with `/hooks`.
"""

from __future__ import annotations

from gitmail_hooks.hosts import fields
from gitmail_hooks.hosts.events import EventKind, HookAnswer, HookEvent, HookOutput

HOST = "codex"
EVENT_NAMES: dict[EventKind, str] = {
    "session_start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "tool_used": "PostToolUse",
    "stop": "Stop",
}
CARRIES: frozenset[EventKind] = frozenset(EVENT_NAMES)
MAX_TEXT = 10_000


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
        subagent=fields.text_field(HOST, payload, "agent_id"),
        source=fields.text_field(HOST, payload, "source"),
    )


def render(event: HookEvent, answer: HookAnswer) -> HookOutput:
    """Return the host's form of `answer`, with no key that its schemas do not name."""
    text = answer.text[:MAX_TEXT]
    if not text.strip():
        return HookOutput("", "", 0)
    if event.kind == "stop":
        return HookOutput(fields.as_json({"decision": "block", "reason": text}), "", 0)
    context = {"hookEventName": event.host_event, "additionalContext": text}
    return HookOutput(fields.as_json({"hookSpecificOutput": context}), "", 0)
