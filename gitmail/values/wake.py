"""The wake receipt: whether a letter rings its recipient, decided once, when it is sent.

It speaks of notification, never of delivery: in every case the letter is in the mailbox. The rules
are the contract's 0 to 6, first that fits (contract: the wake receipt). Everything they need is
passed in; the decision is kept with the letter, in the header's key `wake`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from gitmail.values.agent import Agent
from gitmail.values.names import fold
from gitmail.values.park import Park, park_of
from gitmail.values.presence import acted_just_now
from gitmail.values.receipt import FALLBACK, WakeDecision, fallback_paths, from_header

__all__ = [
    "FALLBACK",
    "RING_WINDOW",
    "SPACING",
    "STORE_WINDOW",
    "Ringer",
    "RingsSpent",
    "WakeDecision",
    "WakeLimits",
    "WakeSituation",
    "clears_matches",
    "decide",
    "decide_each",
    "fallback_paths",
    "from_header",
]

SPACING = timedelta(seconds=30)
RING_WINDOW = timedelta(hours=1)
STORE_WINDOW = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class WakeLimits:
    """How many rings there may be; 0 = no limit. Hours and days are rolling."""

    urgent_per_sender: int = 6
    urgent_per_delegate: int = 12
    per_recipient: int = 20
    per_store: int = 200
    maintainer_per_recipient: int = 30


@dataclass(frozen=True, slots=True)
class Ringer:
    """The sender as far as waking goes.

    `origin` is the letter's (agent | maintainer). `maintainer`: the sender is one of the listed
    maintainers. `delegations`: the projects it is a maintainer's delegate for; `*` = every one.
    """

    id: str
    name: str
    origin: str = "agent"
    maintainer: bool = False
    delegations: tuple[str, ...] = ()

    def delegate_for(self, project: str | None) -> bool:
        """Tell whether a maintainer delegated `project` to this sender."""
        return "*" in self.delegations or (project is not None and project in self.delegations)

    def named(self, clearer: str | None) -> bool:
        """Tell whether a park's `clear_by` names this very sender, by name, id or prefix."""
        if clearer is None or clearer in ("maintainer", "anyone"):
            return False
        by_id = len(clearer) >= 8 and self.id.startswith(clearer.lower())
        return by_id or fold(clearer) == fold(self.name)


@dataclass(frozen=True, slots=True)
class RingsSpent:
    """Rings already decided, with or without a listener, counted from headers (`ring` below).

    `urgent`: of urgent letters by this sender within an hour. `recipient`: to this recipient within
    an hour. `store`: in the store within 24 h. These three leave out rings of origin maintainer,
    which `maintainer` counts: to this recipient within an hour.
    """

    urgent: int = 0
    recipient: int = 0
    store: int = 0
    maintainer: int = 0


@dataclass(frozen=True, slots=True)
class WakeSituation:
    """All that the decision about one delivery rests on.

    `last_action` is the recipient's last own action, `listener` tells whether one is armed for it
    at this moment, `rings_before` how many rings of this same send are already scheduled.
    """

    sender: Ringer
    recipient: Agent
    now: datetime
    last_action: datetime | None = None
    urgent: bool = False
    clears: str | None = None
    listener: bool = False
    fallback_paths: tuple[str, ...] = ()
    spent: RingsSpent = field(default=RingsSpent())
    rings_before: int = 0
    limits: WakeLimits = field(default=WakeLimits())


def decide(case: WakeSituation) -> WakeDecision:
    """Decide whether one delivery rings; the first rule that fits.

    The cap is spent before it is asked whether anyone listens, so `no_path` is a ring too.
    """
    if case.sender.id == case.recipient.id:
        return WakeDecision("not_needed", "self")
    park = park_of(case.recipient, case.now)
    if case.sender.origin == "maintainer":
        return _ring(case, park, "maintainer", _maintainer_cap(case))
    if park is None:
        if acted_just_now(case.last_action, case.now):
            return WakeDecision("hinted", "active")
        if not case.urgent:
            return WakeDecision("not_needed", "no_park")
        return _ring(case, park, "urgent", _cap(case, by_urgency=True))
    if park.reason == "done":
        opener = _opener(case, park)
        if opener is None:
            return WakeDecision("not_needed", "parked_done", reopen_by=_openers(park))
        return _ring(case, park, opener, _cap(case, by_urgency=True))
    reason = _clearance(case, park)
    if reason is None:
        return WakeDecision(
            "withheld", "need_not_cleared", park_needs=park.needs, park_clear_by=park.clear_by
        )
    return _ring(case, park, reason, _cap(case, by_urgency=reason == "urgent"))


def decide_each(cases: Sequence[WakeSituation]) -> tuple[WakeDecision, ...]:
    """Decide one send's deliveries in recipient order, each ring spending from the same allowance.

    Rings that are scheduled stand 30 s apart. The counts in `cases` are those before the send.
    """
    decisions: list[WakeDecision] = []
    rung = rings = 0
    for case in cases:
        by_urgency = rings if case.urgent else 0
        spent = replace(
            case.spent, urgent=case.spent.urgent + by_urgency, store=case.spent.store + rings
        )
        decision = decide(replace(case, spent=spent, rings_before=case.rings_before + rung))
        decisions.append(decision)
        rings += decision.ring
        rung += decision.decision == "rung"
    return tuple(decisions)


def clears_matches(clears: str | None, needs: str | None) -> bool:
    """Tell whether `clears` satisfies a park's needs.

    The words of one are a run of whole words in the other, without regard to case, and the shorter
    holds a word of four letters or more, so that "the" clears nothing.
    """
    said, wanted = _words(clears), _words(needs)
    shorter, longer = sorted((said, wanted), key=len)
    if not any(sum(map(str.isalpha, word)) >= 4 for word in shorter):
        return False
    width = len(shorter)
    return any(longer[at : at + width] == shorter for at in range(len(longer) - width + 1))


def _words(text: str | None) -> list[str]:
    """Split into words, case-folded: what stands between punctuation, symbols and spaces."""
    spaced = (" " if unicodedata.category(char)[0] in "PSZC" else char for char in fold(text or ""))
    return "".join(spaced).split()


def _clearance(case: WakeSituation, park: Park) -> str | None:
    """Return the first reason for which a letter rings a park that is not done."""
    if case.sender.named(park.clear_by):
        return "clearer"
    if park.clear_by == "maintainer" and case.sender.maintainer:
        return "clearer"
    if park.clear_by == "anyone":
        return "anyone"
    if clears_matches(case.clears, park.needs):
        return "clears"
    return "urgent" if case.urgent else None


def _opener(case: WakeSituation, park: Park) -> str | None:
    """Return as what the sender may reopen a done park; only an urgent letter does."""
    if not case.urgent:
        return None
    if case.sender.maintainer:
        return "maintainer"
    if case.sender.delegate_for(case.recipient.project):
        return "delegate"
    return "clearer" if case.sender.named(park.clear_by) else None


def _openers(park: Park) -> tuple[str, ...]:
    """Return who may reopen a done park with an urgent letter."""
    named = park.clear_by if park.clear_by not in (None, "maintainer", "anyone") else None
    return ("maintainer", "delegate", named) if named else ("maintainer", "delegate")


def _ring(case: WakeSituation, park: Park | None, reason: str, cap: str | None) -> WakeDecision:
    """Return a ring, bounded and scheduled, or what stands in its way."""
    if cap is not None:
        return WakeDecision("capped", cap)
    reopened = park is not None and park.reason == "done"
    if not case.listener:
        return WakeDecision(
            "no_path", "no_listener", reopened=reopened, fallback_paths=case.fallback_paths
        )
    ring_at = case.now + case.rings_before * SPACING
    return WakeDecision("rung", reason, ring_at=ring_at, reopened=reopened)


def _maintainer_cap(case: WakeSituation) -> str | None:
    used_up = _used_up(case.spent.maintainer, case.limits.maintainer_per_recipient)
    return "maintainer_recipient_hour" if used_up else None


def _cap(case: WakeSituation, by_urgency: bool) -> str | None:
    """Return the cap that a ring would break, or None.

    The sender's urgent allowance binds only a letter that rings because it is urgent: `urgent` on a
    letter that would ring anyway must not silence it.
    """
    spent, limits = case.spent, case.limits
    urgent = limits.urgent_per_delegate if case.sender.delegations else limits.urgent_per_sender
    if by_urgency and _used_up(spent.urgent, urgent):
        return "urgent_sender_hour"
    if _used_up(spent.recipient, limits.per_recipient):
        return "recipient_hour"
    return "nightly" if _used_up(spent.store, limits.per_store) else None


def _used_up(spent: int, limit: int) -> bool:
    return limit != 0 and spent >= limit
