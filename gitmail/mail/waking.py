"""Gathering what the wake rules need, and deciding for each recipient of a send."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from gitmail.board.presence import Presence, Seen
from gitmail.format.config import Limits, StoreConfig
from gitmail.index.letters import rings
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.names import fold
from gitmail.values.wake import (
    RING_WINDOW,
    STORE_WINDOW,
    Ringer,
    RingsSpent,
    WakeDecision,
    WakeLimits,
    WakeSituation,
    decide_each,
    fallback_paths,
)


def wake_decisions(
    view: View,
    presence: Presence,
    sender: Agent,
    recipients: Sequence[Agent],
    *,
    origin: str,
    urgent: bool,
    clears: str | None,
) -> list[tuple[WakeDecision, Seen]]:
    """Return the decision for each recipient in order, and the presence it rests on.

    Counts come from the headers of delivered letters, so they survive a lost index.
    """
    ringer = _ringer(view.config, sender, origin)
    limits = _limits(view.config.limits)
    seen = [presence.seen(recipient.name) for recipient in recipients]
    common = _spent_by_sender(view, sender, view.now)
    cases = [
        WakeSituation(
            sender=ringer,
            recipient=recipient,
            now=view.now,
            last_action=one.last_action,
            urgent=urgent,
            clears=clears,
            listener=one.listening,
            fallback_paths=fallback_paths(recipient, one.attached, hooked=one.attached),
            spent=_spent(view, recipient, common),
            limits=limits,
        )
        for recipient, one in zip(recipients, seen, strict=True)
    ]
    return list(zip(decide_each(cases), seen, strict=True))


def is_maintainer(config: StoreConfig, name: str) -> bool:
    """Tell whether gitmail.toml lists this person as a maintainer."""
    return fold(name) in {fold(listed) for listed in config.maintainers}


def _ringer(config: StoreConfig, sender: Agent, origin: str) -> Ringer:
    delegations = tuple(
        project
        for project, names in config.delegates.items()
        if fold(sender.name) in {fold(name) for name in names}
    )
    return Ringer(
        id=sender.id,
        name=sender.name,
        origin=origin,
        maintainer=origin == "maintainer" or (sender.person and is_maintainer(config, sender.name)),
        delegations=delegations,
    )


def _limits(limits: Limits) -> WakeLimits:
    return WakeLimits(
        urgent_per_sender=limits.urgent_per_sender_hour,
        urgent_per_delegate=limits.delegate_urgent_per_sender_hour,
        per_recipient=limits.rings_per_recipient_hour,
        per_store=limits.rings_per_store_day,
        maintainer_per_recipient=limits.maintainer_rings_per_recipient_hour,
    )


def _spent_by_sender(view: View, sender: Agent, now: datetime) -> tuple[int, int]:
    index = view.index
    urgent = rings(
        index, now - RING_WINDOW, sender=sender.name, origin="agent", importance="urgent"
    )
    return urgent, rings(index, now - STORE_WINDOW, origin="agent")


def _spent(view: View, recipient: Agent, common: tuple[int, int]) -> RingsSpent:
    since = view.now - RING_WINDOW
    urgent, store = common
    return RingsSpent(
        urgent=urgent,
        recipient=rings(view.index, since, recipient=recipient.name, origin="agent"),
        store=store,
        maintainer=rings(view.index, since, recipient=recipient.name, origin="maintainer"),
    )
