"""Finding the one agent, letter or delivery that a caller means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gitmail.errors import InvalidInput, NotFound
from gitmail.index.agents import agent_by_name, agent_names, agents_by_id_prefix, all_agents
from gitmail.index.letters import deliveries_of, delivery, letter_ids
from gitmail.index.rows import DeliveryRow
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.ids import distinguishing_prefixes, id_or_prefix, is_id, is_id_or_prefix
from gitmail.values.names import near_names

if TYPE_CHECKING:
    from gitmail.values.recipients import AgentRef


def find_agent(view: View, text: str, argument: str = "agent_name") -> Agent:
    """Return the agent, retired ones too, whose name, id or unique prefix `text` is.

    Raises NotFound `agent_not_found` with near names, InvalidInput `ambiguous_agent`.
    """
    found = _agents_meant(view, text)
    if not found:
        near = near_names(text, agent_names(view.index))
        hint = f"Did you mean {' or '.join(near)}?" if near else "`gitmail agents` lists them all."
        raise NotFound(
            "agent_not_found",
            f"There is no agent {text[:80]!r} here.",
            hint,
            near=near,
            argument=argument,
        )
    if len(found) > 1:
        prefixes = distinguishing_prefixes([agent.id for agent in found])
        raise InvalidInput(
            "ambiguous_agent",
            f"{text!r} means {len(found)} agents.",
            f"Use one of: {', '.join(prefixes)}.",
            matches=[
                {"name": agent.name, "prefix": prefix}
                for agent, prefix in zip(found, prefixes, strict=True)
            ],
        )
    return found[0]


def candidates(view: View, refs: Iterable[AgentRef]) -> list[Agent]:
    """Return the agents that `refs` can mean; all of them where one ref means nobody.

    The latter only so that the error can name near names: the usual send looks up its recipients.
    """
    agents: dict[str, Agent] = {}
    for ref in refs:
        found = _agents_meant(view, ref.text)
        if not found:
            return [row.agent for row in all_agents(view.index, include_retired=True)]
        agents.update((agent.id, agent) for agent in found)
    return list(agents.values())


def _agents_meant(view: View, text: str) -> list[Agent]:
    row = agent_by_name(view.index, text)
    if row is not None:
        return [row.agent]
    if is_id_or_prefix(text):
        return [one.agent for one in agents_by_id_prefix(view.index, text.lower())]
    return []


def find_letter_id(
    view: View, text: str, argument: str = "message_id", *, recipient: str | None = None
) -> str:
    """Return the whole id of the one letter that `text` means; of one mailbox where given.

    Raises InvalidInput `invalid_<argument>` or `ambiguous_message_id` (with distinguishing
    prefixes), NotFound `message_not_found`.
    """
    prefix = id_or_prefix(text, argument)
    found = letter_ids(view.index, prefix, recipient=recipient)
    if not found:
        raise NotFound(
            "message_not_found",
            f"There is no letter {text[:40]!r}" + (" in this mailbox." if recipient else "."),
            "`gitmail inbox --all` lists letters with their ids.",
            message_id=text[:40],
        )
    if len(found) > 1:
        raise ambiguous_letter(text, found)
    return found[0]


def ambiguous_letter(text: str, ids: list[str], code: str = "ambiguous_message_id") -> InvalidInput:
    """Return the error for a prefix that several letters share."""
    prefixes = distinguishing_prefixes(ids)
    return InvalidInput(
        code,
        f"{text!r} is the beginning of {len(ids)} ids; nothing was done.",
        f"Use one of: {', '.join(prefixes[:10])}.",
        prefixes=prefixes,
    )


def own_delivery(view: View, owner: str, text: str, argument: str = "message_id") -> DeliveryRow:
    """Return the copy in `owner`'s mailbox of the letter that `text` means; raises as above."""
    letter_id = find_letter_id(view, text, argument, recipient=owner)
    row = delivery(view.index, letter_id, owner)
    if row is None:  # pragma: no cover - letter_ids looked in this very mailbox
        raise NotFound("message_not_found", f"There is no letter {text!r} in this mailbox.")
    return row


def any_delivery(view: View, text: str, viewer: str | None) -> DeliveryRow:
    """Return a copy of the letter that `text` means, the viewer's own where there is one."""
    letter_id = text if is_id(text) else find_letter_id(view, text)
    copies = deliveries_of(view.index, letter_id)
    if not copies:
        find_letter_id(view, text)
    if viewer is not None:
        own = delivery(view.index, letter_id, viewer)
        if own is not None:
            return own
    return min(copies, key=lambda copy: copy.letter.kind == "bcc")
