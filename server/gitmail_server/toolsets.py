"""Which tools a server offers, in a fixed order (docs/architecture.md, two vocabularies)."""

from __future__ import annotations

from typing import Any

from gitmail.errors import InvalidInput
from gitmail_server.tool import Tool
from gitmail_server.tools import (
    fetch_inbox,
    marks,
    memory_agents,
    memory_message,
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
    wait_for_mail.TOOL,
)
FULL: tuple[Tool[Any], ...] = (
    *CORE,
    memory_search.RECENT,
    memory_consolidate.SUPERSEDE,
    memory_forget.FORGET,
    memory_forget.REINSTATE,
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
