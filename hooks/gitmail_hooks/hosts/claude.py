"""Claude Code: `hookSpecificOutput.additionalContext`, and `decision: block` at Stop.

Shapes from the host's hooks reference. Times are in seconds. Nothing on standard output and exit
code 0 is silence. A subagent's events carry `agent_id`.
"""

from __future__ import annotations

from gitmail_hooks.hosts import fields
from gitmail_hooks.hosts.events import EventKind, HookAnswer, HookEvent, HookOutput

HOST = "claude"
EVENT_NAMES: dict[EventKind, str] = {
    "session_start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "tool_used": "PostToolUse",
    "stop": "Stop",
}
CARRIES: frozenset[EventKind] = frozenset(EVENT_NAMES)


def parse(kind: EventKind, data: bytes) -> HookEvent:
    """Return the event in `data`; raises InvalidInput when what is used of it is wrong.

    The camel-case spellings are VS Code's, which also runs the hooks of `.claude/settings.json`.
    """
    payload = fields.read_object(HOST, data)
    name = EVENT_NAMES[kind]
    fields.expect_event(HOST, payload, name, "hook_event_name", "hookEventName")
    return HookEvent(
        host=HOST,
        kind=kind,
        host_event=name,
        session_id=fields.session_field(HOST, payload, "session_id", "sessionId"),
        cwd=fields.text_field(HOST, payload, "cwd"),
        stop_hook_active=fields.flag_field(HOST, payload, "stop_hook_active"),
        subagent=fields.text_field(HOST, payload, "agent_id"),
        source=fields.text_field(HOST, payload, "source"),
    )


def render(event: HookEvent, answer: HookAnswer) -> HookOutput:
    """Return the host's form of `answer`."""
    if not answer.text.strip():
        return HookOutput("", "", 0)
    if event.kind == "stop":
        return HookOutput(fields.as_json({"decision": "block", "reason": answer.text}), "", 0)
    context = {"hookEventName": event.host_event, "additionalContext": answer.text}
    return HookOutput(fields.as_json({"hookSpecificOutput": context}), "", 0)
