"""Whom a letter goes to: reading `to`, finding the one agent meant, choosing a fan-out's agents.

Nothing is created by being addressed, and nothing is guessed: a name or prefix means exactly one
registered agent or the send fails, naming what might have been meant (contract: the tool, send).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitmail.errors import InvalidInput, NotFound, Refused
from gitmail.values.agent import Agent
from gitmail.values.ids import distinguishing_prefixes, is_id_or_prefix
from gitmail.values.names import RESERVED_NAMES, fold, near_names
from gitmail.values.presence import Presence
from gitmail.values.text import line_problem
from gitmail.values.times import format_time

TO_LIMIT = 120
CONTACT_POLICIES = ("open", "contacts_only", "block_all")

_SHORT_PREFIX = re.compile(r"[0-9A-Fa-f]{4,7}")
_FANOUT_HINT = "A fan-out is `all` or `project:<name>`, in lower case."


@dataclass(frozen=True, slots=True)
class All:
    """`all`: every agent that a fan-out reaches."""


@dataclass(frozen=True, slots=True)
class Project:
    """`project:<name>`: the agents whose project is that."""

    name: str


@dataclass(frozen=True, slots=True)
class AgentRef:
    """One agent, by name, id or unique prefix of 8 or more hex digits."""

    text: str


Recipient = All | Project | AgentRef


@dataclass(frozen=True, slots=True)
class Candidate:
    """A registered agent and its presence at this moment."""

    agent: Agent
    presence: Presence


@dataclass(frozen=True, slots=True)
class FanOut:
    """Who a fan-out goes to, and which agents that match it leaves out, each in name order."""

    chosen: tuple[Agent, ...]
    idle: tuple[str, ...]
    detached: tuple[str, ...]


def parse_recipient(text: str, argument: str = "to") -> Recipient:
    """Read what a sender wrote as recipient.

    Raises InvalidInput `invalid_<argument>` (blank, over 120 characters, control characters, a
    project without a name) and Refused `recipient_reserved` for the words the store keeps.
    """
    problem = line_problem(text, TO_LIMIT)
    if problem is not None:
        raise InvalidInput(
            f"invalid_{argument}",
            f"{argument} {problem}.",
            "Give an agent's name or id, `project:<name>` or `all`.",
            argument=argument,
        )
    if text == "all":
        return All()
    if text.startswith("project:"):
        return _project(text, argument)
    folded = fold(text.strip())
    if folded in RESERVED_NAMES or folded.startswith("project:"):
        raise _reserved(text, folded)
    return AgentRef(text)


def refers_to(ref: AgentRef, agent: Agent) -> bool:
    """Tell whether `ref` can mean `agent`, be it alone or not.

    A repeated request asks this of the agent it went to first, so that it stays the same request
    even when its prefix has become ambiguous since.
    """
    if fold(ref.text) == fold(agent.name):
        return True
    return is_id_or_prefix(ref.text) and agent.id.startswith(ref.text.lower())


def resolve(ref: AgentRef, agents: Iterable[Agent]) -> Agent:
    """Return the one registered, not retired agent that `ref` means.

    Raises NotFound `recipient_not_found` (with `near` names), InvalidInput `ambiguous_recipient`
    (with the `matches` and a prefix of each that tells it from the others) and Refused
    `recipient_retired`.
    """
    known = list(agents)
    matches = [agent for agent in known if refers_to(ref, agent)]
    if not matches:
        raise _unknown([ref.text], known)
    if len(matches) > 1:
        raise _ambiguous(ref, matches)
    agent = matches[0]
    if agent.retired_at is not None:
        raise Refused(
            "recipient_retired",
            f"{agent.name} is retired and receives nothing.",
            "Send to another agent, or have this one unretired.",
            recipient=agent.name,
            retired_at=format_time(agent.retired_at),
        )
    return agent


def resolve_each(refs: Sequence[AgentRef], agents: Iterable[Agent]) -> tuple[Agent, ...]:
    """Resolve a list of recipients, each agent once, in the order asked; all or nothing.

    Raises as `resolve`; `recipient_not_found` names every unknown one with its near names.
    """
    known = list(agents)
    unknown = [ref.text for ref in refs if not any(refers_to(ref, agent) for agent in known)]
    if unknown:
        raise _unknown(unknown, known)
    found = {agent.id: agent for agent in (resolve(ref, known) for ref in refs)}
    return tuple(found.values())


def check_contact(recipient: Agent, sender: Agent) -> None:
    """Refuse a letter that the recipient's contact policy keeps out: Refused `recipient_blocked`.

    `block_all` blocks in every path, a maintainer's too; `contacts_only` lets in whom the
    recipient lists, by name or id. A letter to oneself always passes.
    """
    if accepts(recipient, sender):
        return
    raise Refused(
        "recipient_blocked",
        f"{recipient.name} takes no letters from {sender.name} ({recipient.contact_policy}).",
        "Ask for contact with request_contact."
        if recipient.contact_policy == "contacts_only"
        else "Ask a person; this mailbox is closed.",
        recipient=recipient.name,
        contact_policy=recipient.contact_policy,
    )


def accepts(recipient: Agent, sender: Agent) -> bool:
    """Tell whether the recipient's contact policy lets letters of `sender` in."""
    if recipient.contact_policy in (None, "open") or recipient.id == sender.id:
        return True
    if recipient.contact_policy != "contacts_only":
        return False
    return any(fold(contact) in (fold(sender.name), sender.id) for contact in recipient.contacts)


def select_fanout(target: All | Project, candidates: Iterable[Candidate], sender: Agent) -> FanOut:
    """Choose a fan-out's agents: attached and not idle, the sender itself left out.

    Retired agents and those whose contact policy keeps the sender out are left out silently, idle
    and detached ones are named. How many are allowed is gitmail.values.limits' to say.
    """
    open_to = [one for one in candidates if _reachable(target, one.agent, sender)]
    open_to.sort(key=lambda one: fold(one.agent.name))
    return FanOut(
        chosen=tuple(one.agent for one in open_to if one.presence is Presence.ATTACHED),
        idle=tuple(one.agent.name for one in open_to if one.presence is Presence.IDLE),
        detached=tuple(one.agent.name for one in open_to if one.presence is Presence.DETACHED),
    )


def check_chosen(asked: str, fanout: FanOut) -> None:
    """Refuse a fan-out that reaches nobody: NotFound `no_recipients`, naming who is left out."""
    if fanout.chosen:
        return
    raise NotFound(
        "no_recipients",
        f"No agent but you is active for {asked!r}; nothing was sent.",
        "Address the idle and detached agents by name: their letters wait for them.",
        to=asked,
        idle=list(fanout.idle),
        detached=list(fanout.detached),
    )


def _project(text: str, argument: str) -> Project:
    name = text.removeprefix("project:")
    if not name.strip():
        raise InvalidInput(
            f"invalid_{argument}", "project: names no project.", _FANOUT_HINT, argument=argument
        )
    return Project(name)


def _reserved(text: str, folded: str) -> Refused:
    """Return the error for a reserved word, with the way to what was probably meant."""
    hints = {
        "maintainer": "To answer a maintainer, reply to the letter with `reply_to`, without `to`.",
        "daemon": "There is no daemon here; send to an agent by name.",
        "retired": "Send to an agent by name.",
    }
    return Refused(
        "recipient_reserved",
        f"{text!r} is a reserved word, not an agent.",
        hints.get(folded, _FANOUT_HINT),
        to=text,
    )


def _unknown(unknown: Sequence[str], agents: Sequence[Agent]) -> NotFound:
    """Return the error for recipients that nobody answers to, with near names for each."""
    names = [agent.name for agent in agents if agent.retired_at is None]
    each = [{"name": text, "near": near_names(text, names)} for text in unknown]
    near = list(dict.fromkeys(name for one in each for name in one["near"]))
    listed = ", ".join(repr(text) for text in unknown)
    verb = "is not a registered agent" if len(unknown) == 1 else "are not registered agents"
    if near:
        hint = f"Did you mean {' or '.join(near)}?"
    elif any(_SHORT_PREFIX.fullmatch(text) for text in unknown):
        hint = "A prefix of an id needs at least 8 hex digits."
    else:
        hint = "`gitmail agents`, or the tool memory_agents (action=list), shows who there is."
    return NotFound(
        "recipient_not_found",
        f"{listed} {verb}; nothing was sent.",
        hint,
        unknown=each,
        near=near,
    )


def _ambiguous(ref: AgentRef, matches: Sequence[Agent]) -> InvalidInput:
    prefixes = distinguishing_prefixes([agent.id for agent in matches])
    named = [
        {"name": agent.name, "prefix": prefix}
        for agent, prefix in zip(matches, prefixes, strict=True)
    ]
    return InvalidInput(
        "ambiguous_recipient",
        f"{ref.text!r} is the beginning of {len(matches)} agents' ids.",
        "Use a name or one of the longer prefixes.",
        matches=named,
    )


def _reachable(target: All | Project, agent: Agent, sender: Agent) -> bool:
    """Tell whether an agent is meant by a fan-out, leaving its presence aside."""
    if agent.id == sender.id or agent.retired_at is not None or not accepts(agent, sender):
        return False
    return isinstance(target, All) or agent.project == target.name
