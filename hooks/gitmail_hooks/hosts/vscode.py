"""VS Code's own agent: the design of Claude Code, camel-case common fields, a nested block at Stop.

Times are in seconds. The reference gives `UserPromptSubmit` no way to add context, so a hint
waits for the next tool. The host calls its hooks a preview: its reference, not a run, was checked.
"""

from __future__ import annotations

from gitmail_hooks.hosts import fields
from gitmail_hooks.hosts.events import EventKind, HookAnswer, HookEvent, HookOutput

HOST = "vscode"
EVENT_NAMES: dict[EventKind, str] = {
    "session_start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "tool_used": "PostToolUse",
    "stop": "Stop",
}
CARRIES: frozenset[EventKind] = frozenset({"session_start", "tool_used", "stop"})


def parse(kind: EventKind, data: bytes) -> HookEvent:
    """Return the event in `data`; raises InvalidInput when what is used of it is wrong."""
    payload = fields.read_object(HOST, data)
    name = EVENT_NAMES[kind]
    fields.expect_event(HOST, payload, name, "hookEventName", "hook_event_name")
    return HookEvent(
        host=HOST,
        kind=kind,
        host_event=name,
        session_id=fields.session_field(HOST, payload, "sessionId", "session_id"),
        cwd=fields.text_field(HOST, payload, "cwd"),
        stop_hook_active=fields.flag_field(HOST, payload, "stop_hook_active"),
        subagent=fields.text_field(HOST, payload, "agent_id"),
        source=fields.text_field(HOST, payload, "source"),
    )


def render(event: HookEvent, answer: HookAnswer) -> HookOutput:
    """Return the host's form of `answer`."""
    if not answer.text.strip() or event.kind not in CARRIES:
        return HookOutput("", "", 0)
    specific = {"hookEventName": event.host_event}
    if event.kind == "stop":
        specific |= {"decision": "block", "reason": answer.text}
    else:
        specific |= {"additionalContext": answer.text}
    return HookOutput(fields.as_json({"hookSpecificOutput": specific}), "", 0)
