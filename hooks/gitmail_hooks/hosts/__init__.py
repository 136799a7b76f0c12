"""The agent hosts, one small adapter each: their JSON to one HookEvent, one HookAnswer to theirs.

Pure translation on a fast path: no disk, no environment, and only the adapter of the host that
asked is imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from gitmail.errors import InvalidInput
from gitmail_hooks.hosts.events import (
    EVENT_WORDS,
    SILENCE,
    EventKind,
    HookAnswer,
    HookEvent,
    HookOutput,
)

HOSTS = ("claude", "codex", "gemini", "cursor", "vscode")
"""The HOST words of `gitmail hook` and `gitmail setup`."""

MAX_STDERR = 300

__all__ = [
    "EVENT_WORDS",
    "HOSTS",
    "SILENCE",
    "EventKind",
    "HookAnswer",
    "HookEvent",
    "HookOutput",
    "may_speak",
    "read_event",
    "render",
    "silent",
]


class Adapter(Protocol):
    """What each module of this package offers."""

    HOST: str
    EVENT_NAMES: dict[EventKind, str]
    CARRIES: frozenset[EventKind]

    def parse(self, kind: EventKind, data: bytes) -> HookEvent:
        """Return the event in `data`."""

    def render(self, event: HookEvent, answer: HookAnswer) -> HookOutput:
        """Return the host's form of `answer`."""


def adapter(host: str) -> Adapter:
    """Return the module of `host`; raises InvalidInput for a host that is not in HOSTS."""
    if host not in HOSTS:
        raise InvalidInput(
            "invalid_host",
            f"{host!r} is not a host that gitmail knows.",
            f"Use one of: {', '.join(HOSTS)}.",
            host=host,
        )
    return cast(Adapter, import_module(f"gitmail_hooks.hosts.{host}"))


def read_event(host: str, event: str, data: bytes) -> HookEvent:
    """Return what `data`, the host's JSON, says about `event` (a word of EVENT_WORDS).

    Raises InvalidInput (invalid_host, invalid_event, invalid_hook_input). The hook program turns
    each of these into `silent`: a hook never disturbs the session it serves.
    """
    module = adapter(host)
    kind = EVENT_WORDS.get(event)
    if kind is None:
        raise InvalidInput(
            "invalid_event",
            f"{event!r} is not a hook event that gitmail knows.",
            f"Use one of: {', '.join(EVENT_WORDS)}.",
            event=event,
        )
    return module.parse(kind, data)


def may_speak(event: HookEvent) -> bool:
    """Say whether an answer to `event` would reach the right agent and cannot loop.

    False where the host drops the answer (nothing may then be marked as announced), inside a
    subagent (the mail is its parent's), and in a turn that a stop hook already prolonged.
    """
    if event.subagent or event.kind not in adapter(event.host).CARRIES:
        return False
    return not (event.kind == "stop" and event.stop_hook_active)


def render(event: HookEvent, answer: HookAnswer) -> HookOutput:
    """Return the output and exit code that tell `event`'s host the `answer`."""
    return adapter(event.host).render(event, answer)


def silent(host: str, reason: str = "") -> HookOutput:
    """Return the output that changes nothing, with at most one line for standard error.

    Also for a host that is not known, and for an event that could not be read.
    """
    line = " ".join(reason.split())[:MAX_STDERR]
    stdout = "{}\n" if host in ("gemini", "cursor") else ""
    return HookOutput(stdout, f"gitmail hook: {line}\n" if line else "", 0)
