"""Results out: one form for success, one for failure (contract: one mailbox).

A failure is a tool result with `isError`, whose text and structured content are one JSON object.
The SDK's ToolError would get a prefix, and any other exception would lose its text.
"""

from __future__ import annotations

import json
from typing import Any

from mcp_types import CallToolResult, TextContent

from gitmail.errors import GitmailError
from gitmail_server.tool import Answer


def success(answer: dict[str, Any] | Answer, common: dict[str, Any]) -> CallToolResult:
    """Return a tool result; `common` holds what every result carries (waiting, warnings)."""
    content, encode = (
        (answer.content, answer.encode) if isinstance(answer, Answer) else (answer, as_json)
    )
    structured = {**content, **common}
    return CallToolResult(
        content=[TextContent(type="text", text=encode(structured))],
        structured_content=structured,
        is_error=False,
    )


def failure(error: GitmailError, common: dict[str, Any] | None = None) -> CallToolResult:
    """Return the tool result of a foreseen failure."""
    structured = {**error.as_dict(), **(common or {})}
    return CallToolResult(
        content=[TextContent(type="text", text=as_json(structured))],
        structured_content=structured,
        is_error=True,
    )


def as_json(value: Any) -> str:
    """Return compact JSON that keeps letters of all languages readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
