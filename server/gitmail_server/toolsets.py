"""Which tools a server offers, in a fixed order (docs/architecture.md, two vocabularies)."""

from __future__ import annotations

from typing import Any

from gitmail.errors import InvalidInput
from gitmail_server.tool import Tool
from gitmail_server.tools import (
    agents,
    contacts,
    fetch_inbox,
    file_reservations,
    finding,
    macros,
    marks,
    memory_agents,
    memory_candidates,
    memory_consolidate,
    memory_forget,
    memory_message,
    memory_search,
    memory_store,
    project,
    reservation_family,
    sending,
    wait_for_mail,
)

CORE: tuple[Tool[Any], ...] = (
    memory_message.TOOL,
    memory_agents.TOOL,
    fetch_inbox.TOOL,
    marks.READ,
    marks.ACKNOWLEDGE,
    memory_store.TOOL,
    memory_search.SEARCH,
    memory_search.GET,
    memory_consolidate.CONSOLIDATE,
    memory_candidates.TOOL,
    file_reservations.TOOL,
    wait_for_mail.TOOL,
)
FULL: tuple[Tool[Any], ...] = (
    *CORE,
    memory_search.RECENT,
    memory_consolidate.SUPERSEDE,
    memory_forget.FORGET,
    memory_forget.REINSTATE,
    project.TOOL,
    agents.REGISTER,
    agents.WHOIS,
    agents.LIST,
    agents.RETIRE,
    agents.UNRETIRE,
    sending.SEND,
    sending.REPLY,
    finding.SEARCH,
    finding.TOPIC,
    finding.THREAD,
    finding.SUMMARIZE,
    contacts.REQUEST,
    contacts.RESPOND,
    contacts.LIST,
    contacts.POLICY,
    macros.START,
    macros.PREPARE,
    *reservation_family.FAMILY,
)

TOOLSETS = {"core": CORE, "full": FULL}


def tools_of(toolset: str) -> dict[str, Tool[Any]]:
    """Return the tools of a toolset by name; raises InvalidInput `invalid_toolset`."""
    if toolset not in TOOLSETS:
        raise InvalidInput(
            "invalid_toolset",
            f"There is no toolset {toolset[:40]!r}.",
            f"Choose one of: {', '.join(TOOLSETS)}.",
            accepted=list(TOOLSETS),
        )
    return {tool.name: tool for tool in TOOLSETS[toolset]}
