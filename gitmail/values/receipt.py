"""The wake receipt as a value: what was decided at a send, in the letter's header and in results.

The rules that decide are in gitmail/values/wake.py. The header's key `wake` holds the facts, flat
and as strings; the fixed sentences of the result are added when it is shown (contract: the wake
receipt).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gitmail.values.agent import Agent
from gitmail.values.times import format_time, read_time

FALLBACK = (
    "The letter is in the mailbox; nobody listens for the recipient now, so the ring waits there "
    "for a listener and the recipient finds the letter in one of these ways."
)
RETRY = (
    "The letter is in the mailbox and needs no second send. A ring needs `clears` with the words "
    "of park_needs, a letter from park_clear_by, or `urgent`; use them only when they are true."
)


@dataclass(frozen=True, slots=True)
class WakeDecision:
    """What was decided: `hinted`, `not_needed`, `withheld`, `capped`, `rung` or `no_path`."""

    decision: str
    reason: str
    ring_at: datetime | None = None
    park_needs: str | None = None
    park_clear_by: str | None = None
    reopen_by: tuple[str, ...] = ()
    reopened: bool = False
    fallback_paths: tuple[str, ...] = ()

    @property
    def ring(self) -> bool:
        """True for a ring: it spends an allowance and stays until the letter is handled."""
        return self.decision in ("rung", "no_path")

    def to_header(self) -> dict[str, str]:
        """Return the decision as the letter's header keeps it: flat, every value a string."""
        kept = {
            "decision": self.decision,
            "reason": self.reason,
            "ring_at": format_time(self.ring_at) if self.ring_at else "",
            "park_needs": self.park_needs or "",
            "park_clear_by": self.park_clear_by or "",
            "reopen_by": " ".join(self.reopen_by),
            "reopened": "true" if self.reopened else "",
            "fallback_paths": " ".join(self.fallback_paths),
        }
        return {key: value for key, value in kept.items() if value}

    def to_result(self) -> dict[str, Any]:
        """Return the `wake` of a tool's result: decision and reason, then what goes with them."""
        result: dict[str, Any] = {"decision": self.decision, "reason": self.reason}
        if self.decision == "rung" and self.ring_at is not None:
            result["ring_at"] = format_time(self.ring_at)
        if self.decision == "withheld":
            result["park_needs"] = self.park_needs or ""
            result["park_clear_by"] = self.park_clear_by or ""
            result["retry"] = RETRY
        if self.decision == "no_path":
            paths = list(self.fallback_paths)
            result |= {"queued": True, "fallback": FALLBACK, "fallback_paths": paths}
        if self.reopen_by:
            result["reopen_by"] = list(self.reopen_by)
        if self.reopened:
            result["reopened"] = True
        return result


def from_header(wake: Mapping[str, str]) -> WakeDecision | None:
    """Return the decision a letter's header holds; None for a letter without one.

    Hand-written letters exist: a time that cannot be read is left out rather than made an error of
    whoever reads the mailbox.
    """
    if not wake.get("decision"):
        return None
    return WakeDecision(
        decision=wake["decision"],
        reason=wake.get("reason", ""),
        ring_at=_moment(wake.get("ring_at", "")),
        park_needs=wake.get("park_needs"),
        park_clear_by=wake.get("park_clear_by"),
        reopen_by=tuple(wake.get("reopen_by", "").split()),
        reopened=wake.get("reopened") == "true",
        fallback_paths=tuple(wake.get("fallback_paths", "").split()),
    )


def fallback_paths(recipient: Agent, attached: bool, hooked: bool) -> tuple[str, ...]:
    """Return how the recipient may still learn of a letter for which no listener is armed.

    `attached`: a process of it lives, so its next tool result shows the count. `hooked`: its host
    runs gitmail's hooks.
    """
    if recipient.person:
        return ("gitmail_wait", "person")
    paths = ["next_tool_result"] if attached else []
    if hooked:
        paths.append("host_hook")
    return (*paths, "gitmail_wait", "person")


def _moment(text: str) -> datetime | None:
    try:
        return read_time(text)
    except ValueError:
        return None
