"""What every host's hook says and may be told, in one form.

Named tuples instead of dataclasses: these modules run once per tool call of an agent, and
`dataclasses` costs more to import than everything else here together.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

EventKind = Literal["session_start", "prompt", "tool_used", "stop"]

EVENT_WORDS: dict[str, EventKind] = {
    "session-start": "session_start",
    "prompt": "prompt",
    "tool-used": "tool_used",
    "stop": "stop",
}
"""The EVENT words of `gitmail hook HOST EVENT`, and the kind each one names."""


class HookEvent(NamedTuple):
    """One call of a host's hook.

    `host_event` is the host's own name of the event, which some hosts want back. `cwd` is the
    folder the host works in, "" when the host did not say. `stop_hook_active` means that this
    turn only goes on because a stop hook asked for it. `subagent` is the id of the subagent the
    event happened in, "" in the main conversation. `source` says how a session started.
    """

    host: str
    kind: EventKind
    host_event: str
    session_id: str
    cwd: str
    stop_hook_active: bool = False
    subagent: str = ""
    source: str = ""


class HookAnswer(NamedTuple):
    """What the agent is told: nothing when `text` is empty.

    At a stop event a text means "go on, for this reason"; everywhere else it is context.
    """

    text: str = ""


class HookOutput(NamedTuple):
    """What the hook program leaves behind: its two streams and its exit code."""

    stdout: str
    stderr: str
    exit_code: int


SILENCE = HookAnswer()
